import type { Browser } from "playwright-core";
import { type Product, startProduct } from "../official-clients/product.ts";
import { closePages, sharedBrowser } from "../start/browser.ts";
import { type Embedding, startEmbedding } from "./embedding.ts";
import { parentOf } from "./people.ts";

/** A service whose users log in by mail, and a page at another site that embeds its frames. */
export type Frames = {
  product: Product;
  embedding: Embedding;
  browser: Browser;
  stop(): Promise<void>;
};

export async function startFrames(): Promise<Frames> {
  const [product, embedding, browser] = await Promise.all([
    startProduct(),
    startEmbedding(),
    sharedBrowser(),
  ]);
  await parentOf(product).setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH", value: "" });
  return {
    ...{ product, embedding, browser },
    async stop() {
      await closePages();
      await Promise.all([product.stop(), embedding.stop()]);
    },
  };
}
