declare module "subset-font" {
  type Options = {
    targetFormat?: "sfnt" | "woff2" | "woff" | "truetype";
    /** Weights and other axes of a variable font, each set to one value or a range. */
    variationAxes?: Record<string, number | { min: number; max: number }>;
    keepFeatures?: string[];
    noLayoutClosure?: boolean;
    noHinting?: boolean;
  };

  export default function subsetFont(
    font: Buffer,
    text: string,
    options?: Options,
  ): Promise<Buffer>;
}
