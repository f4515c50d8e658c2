// First, because the SDK makes keys from its random bytes.
import "react-native-get-random-values";
import { registerRootComponent } from "expo";
import { App } from "./App.tsx";

registerRootComponent(App);
