import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { ConfigError } from "./variables.ts";

const model = { KEYHEARTH_ASSISTANT_MODEL: "small" };
const url = { KEYHEARTH_ASSISTANT_URL: "https://models.example.com/v1" };

describe("the model of the assistant", () => {
  test.each([
    ["https://models.example.com/v1", "https://models.example.com/v1/chat/completions"],
    ["https://models.example.com/v1/", "https://models.example.com/v1/chat/completions"],
    ["https://models.example.com", "https://models.example.com/chat/completions"],
    [
      "https://models.example.com/v1/chat/completions",
      "https://models.example.com/v1/chat/completions",
    ],
    ["http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"],
    ["http://ollama:11434/v1", "http://ollama:11434/v1/chat/completions"],
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"],
    ["http://192.168.1.20/v1", "http://192.168.1.20/v1/chat/completions"],
    ["http://[fd00::5]:8080/v1", "http://[fd00::5]:8080/v1/chat/completions"],
  ])("is asked at %s", (given, asked) => {
    expect(readConfig({ ...model, KEYHEARTH_ASSISTANT_URL: given }).assistant).toEqual({
      url: asked,
      model: "small",
      key: null,
    });
  });

  test.each([
    ["http://models.example.com/v1"],
    ["http://8.8.8.8/v1"],
    ["ftp://localhost/v1"],
    ["models.example.com"],
    ["https://models.example.com/v1?key=1"],
    ["https://models.example.com/v1#a"],
    ["https://"],
  ])("is not asked at %s", (given) => {
    expect(() => readConfig({ ...model, KEYHEARTH_ASSISTANT_URL: given })).toThrow(
      `KEYHEARTH_ASSISTANT_URL is \`${given}\` but must be an https URL, or an http URL at a private address`,
    );
  });

  test("is refused without its name, and its name and key without an address", () => {
    const both =
      "the assistant needs KEYHEARTH_ASSISTANT_URL and KEYHEARTH_ASSISTANT_MODEL, or neither";
    expect(() => readConfig(url)).toThrow(
      new ConfigError(
        `KEYHEARTH_ASSISTANT_URL is set but KEYHEARTH_ASSISTANT_MODEL is not: ${both}`,
      ),
    );
    expect(() => readConfig(model)).toThrow(
      `KEYHEARTH_ASSISTANT_MODEL is set but KEYHEARTH_ASSISTANT_URL is not: ${both}`,
    );
    expect(() => readConfig({ KEYHEARTH_ASSISTANT_KEY: "sk-1" })).toThrow(
      `KEYHEARTH_ASSISTANT_KEY is set but KEYHEARTH_ASSISTANT_URL is not: ${both}`,
    );
    expect(() => readConfig({ ...url, KEYHEARTH_ASSISTANT_MODEL: "a b" })).toThrow(
      "KEYHEARTH_ASSISTANT_MODEL is `a b` but must be the name of a model",
    );
  });

  test("has a key and an address of which no error shows a secret", () => {
    for (const environment of [
      { ...url, ...model, KEYHEARTH_ASSISTANT_KEY: "sk-hidden key" },
      { ...model, KEYHEARTH_ASSISTANT_URL: "https://me:sk-hidden@models.example.com/v1" },
    ]) {
      expect(() => readConfig(environment)).toThrow(/not shown because it may hold a secret/);
      expect(() => readConfig(environment)).not.toThrow(/hidden\b.*key|sk-hidden/);
    }
  });
});
