// What the example for React Native uses of packages that are not installed here: with all that they bring along they have
// 430 MB. The signatures are those of the versions in its package.json.

declare module "expo" {
  import type { ComponentType } from "react";
  export function registerRootComponent(component: ComponentType): void;
}

declare module "expo-secure-store" {
  export type SecureStoreOptions = {
    keychainService?: string;
    requireAuthentication?: boolean;
    authenticationPrompt?: string;
    keychainAccessible?: number;
    accessGroup?: string;
  };
  export const WHEN_UNLOCKED_THIS_DEVICE_ONLY: number;
  export function getItemAsync(key: string, options?: SecureStoreOptions): Promise<string | null>;
  export function setItemAsync(
    key: string,
    value: string,
    options?: SecureStoreOptions,
  ): Promise<void>;
  export function deleteItemAsync(key: string, options?: SecureStoreOptions): Promise<void>;
}

declare module "react-native-get-random-values" {}

declare module "react-native-passkeys" {
  type Descriptor = { id: string; type: "public-key"; transports?: string[] };
  type Requirement = "discouraged" | "preferred" | "required";
  type Credential<Response> = { id: string; rawId: string; type: string; response: Response };
  export function create(request: {
    rp: { id?: string; name: string };
    user: { id: string; name: string; displayName: string };
    challenge: string;
    pubKeyCredParams: { alg: number; type: "public-key" }[];
    timeout?: number;
    excludeCredentials?: Descriptor[];
    authenticatorSelection?: { residentKey?: Requirement; userVerification?: Requirement };
    attestation?: "direct" | "enterprise" | "indirect" | "none";
  }): Promise<Credential<{
    clientDataJSON: string;
    attestationObject: string;
    transports?: string[];
  }> | null>;
  export function get(request: {
    challenge: string;
    timeout?: number;
    rpId?: string;
    allowCredentials?: Descriptor[];
    userVerification?: Requirement;
  }): Promise<Credential<{
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string;
  }> | null>;
}

declare module "react-native" {
  import type { ComponentType, ReactNode } from "react";

  type Style = Record<string, string | number>;
  type Shared = {
    accessibilityLabel?: string;
    accessibilityRole?: "alert" | "button" | "header";
    children?: ReactNode;
    style?: Style | (Style | false)[];
  };
  export const ActivityIndicator: ComponentType<Shared>;
  export const Pressable: ComponentType<Shared & { disabled?: boolean; onPress?: () => void }>;
  export const Text: ComponentType<Shared & { selectable?: boolean }>;
  export const TextInput: ComponentType<
    Shared & { onChangeText?: (text: string) => void; placeholder?: string; value?: string }
  >;
  export const View: ComponentType<Shared>;
  export const AppState: {
    addEventListener(
      type: "change",
      listener: (state: "active" | "background" | "inactive" | "unknown" | "extension") => void,
    ): { remove(): void };
  };
  export const StyleSheet: { create<Styles extends Record<string, Style>>(styles: Styles): Styles };
}
