import { useEffect, useState, useSyncExternalStore } from "react";
import {
  ActivityIndicator,
  AppState,
  Pressable,
  StyleSheet,
  Text,
  TextInput,
  View,
} from "react-native";
import { findAddress, keeper, logIn, signMessage, signUp } from "./src/account.ts";

export function App() {
  const session = useSyncExternalStore(
    (listener) => keeper.subscribe(listener),
    () => keeper.session,
  );
  const task = useTask();

  useEffect(() => {
    task.run(() => keeper.restore());
    // Timers stop while the app is in the background, so a session may have expired unnoticed.
    const returning = AppState.addEventListener("change", (state) => {
      if (state === "active") void keeper.restore().catch(() => {});
    });
    return () => {
      returning.remove();
      keeper.close();
    };
  }, [task.run]);

  return (
    <View style={styles.screen}>
      <Text accessibilityRole="header" style={styles.title}>
        Keyhearth
      </Text>
      {session ? <Wallet task={task} /> : <Login task={task} />}
      {task.isRunning && <ActivityIndicator accessibilityLabel="Working" />}
      {task.error !== "" && (
        <Text accessibilityRole="alert" style={styles.error}>
          {task.error}
        </Text>
      )}
    </View>
  );
}

function Login({ task }: { task: Task }) {
  const [name, setName] = useState("");
  return (
    <>
      <TextInput
        accessibilityLabel="Your name"
        onChangeText={setName}
        placeholder="Your name"
        style={styles.input}
        value={name}
      />
      <Button
        isDisabled={task.isRunning || name.trim() === ""}
        onPress={() => task.run(() => signUp(name.trim()))}
        text="Sign up with a passkey"
      />
      <Button isDisabled={task.isRunning} onPress={() => task.run(logIn)} text="Log in" />
    </>
  );
}

function Wallet({ task }: { task: Task }) {
  const [address, setAddress] = useState("");
  const [message, setMessage] = useState("hello from a phone");
  const [signature, setSignature] = useState("");
  const { run } = task;

  useEffect(() => {
    run(async () => setAddress(await findAddress()));
  }, [run]);

  return (
    <>
      <Text selectable>{address}</Text>
      <TextInput
        accessibilityLabel="Message"
        onChangeText={setMessage}
        style={styles.input}
        value={message}
      />
      <Button
        isDisabled={task.isRunning}
        onPress={() => run(async () => setSignature(await signMessage(message)))}
        text="Sign"
      />
      <Text selectable>{signature}</Text>
      <Button
        isDisabled={task.isRunning}
        onPress={() => run(() => keeper.logOut())}
        text="Log out"
      />
    </>
  );
}

function Button(props: { text: string; isDisabled: boolean; onPress: () => void }) {
  return (
    <Pressable
      accessibilityRole="button"
      disabled={props.isDisabled}
      onPress={props.onPress}
      style={[styles.button, props.isDisabled && styles.disabled]}
    >
      <Text style={styles.buttonText}>{props.text}</Text>
    </Pressable>
  );
}

type Task = { isRunning: boolean; error: string; run: (work: () => Promise<unknown>) => void };

/** One piece of work at a time, with its error as a sentence. */
function useTask(): Task {
  const [state, setState] = useState({ isRunning: false, error: "" });
  const [run] = useState(() => async (work: () => Promise<unknown>) => {
    setState({ isRunning: true, error: "" });
    try {
      await work();
      setState({ isRunning: false, error: "" });
    } catch (error) {
      setState({ isRunning: false, error: error instanceof Error ? error.message : String(error) });
    }
  });
  return { ...state, run };
}

const styles = StyleSheet.create({
  screen: { flex: 1, gap: 12, padding: 24, paddingTop: 72, backgroundColor: "#ffffff" },
  title: { fontSize: 28, fontWeight: "600" },
  input: { borderWidth: 1, borderColor: "#767676", borderRadius: 8, padding: 12 },
  button: { backgroundColor: "#1f2937", borderRadius: 8, padding: 14, alignItems: "center" },
  buttonText: { color: "#ffffff", fontWeight: "600" },
  disabled: { opacity: 0.5 },
  error: { color: "#b91c1c" },
});
