import { Connection } from "@keyhearth/sdk";
import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";

/** Opens the frame. Your server sends its `publicKey` as the `targetPublicKey` of the login. */
export async function openLoginFrame(url: string, container: Element): Promise<IframeStamper> {
  const frame = new IframeStamper({ url, container });
  await frame.init();
  return frame;
}

/** Logs in with the bundle of the mail. The key in it stays in the frame. */
export async function logInByFrame(
  frame: IframeStamper,
  bundle: string,
  { baseUrl, organizationId }: { baseUrl: string; organizationId: string },
): Promise<Connection> {
  await frame.injectCredentialBundle(bundle);
  return new Connection({ baseUrl, organizationId, stamper: frame });
}
