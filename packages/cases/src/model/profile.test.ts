import { describe, expect, test } from "vitest";
import { readProfile } from "./profile.ts";

const local = { LOCAL_BASE_URL: "http://localhost:11434/v1", LOCAL_MODEL: "small" };

describe("readProfile", () => {
  test("reads the variables of a profile", () => {
    const environment = { ...local, LOCAL_API_KEY: " key ", LOCAL_TEMPERATURE: "0.7", OTHER_MODEL: "large" };
    expect(readProfile("local", environment)).toEqual({
      name: "local",
      url: "http://localhost:11434/v1",
      urlFrom: "environment",
      model: "small",
      apiKey: "key",
      temperature: 0.7,
    });
  });

  test("takes flags before the environment", () => {
    const environment = {
      MY_OLLAMA_BASE_URL: local.LOCAL_BASE_URL,
      MY_OLLAMA_MODEL: "small",
      MY_OLLAMA_TEMPERATURE: "",
    };
    const profile = readProfile("my-ollama", environment, { model: "large", temperature: 0 });
    expect(profile).toEqual({
      name: "my-ollama",
      url: "http://localhost:11434/v1",
      urlFrom: "environment",
      model: "large",
      temperature: 0,
    });
  });

  test("reads the endpoint of workflows as the profile toolpacks", () => {
    const environment = {
      TOOLPACKS_MODEL_URL: "http://localhost:1/v1",
      TOOLPACKS_MODEL: "small",
      TOOLPACKS_MODEL_KEY: "key",
    };
    expect(readProfile("toolpacks", environment)).toMatchObject({ url: "http://localhost:1/v1", apiKey: "key" });
  });

  test.each([
    ["no address", { LOCAL_MODEL: "small" }, "profile local: $LOCAL_BASE_URL is not set"],
    [
      "no model",
      { LOCAL_BASE_URL: local.LOCAL_BASE_URL },
      "profile local: $LOCAL_MODEL is not set, and --model is missing",
    ],
    [
      "an invalid address",
      { ...local, LOCAL_BASE_URL: "localhost" },
      "profile local: $LOCAL_BASE_URL: expected an address: http",
    ],
    [
      "an address with a password",
      { ...local, LOCAL_BASE_URL: "http://me:secret@localhost/v1" },
      "profile local: $LOCAL_BASE_URL: expected an address without user and password",
    ],
    [
      "a temperature in words",
      { ...local, LOCAL_TEMPERATURE: "warm" },
      "profile local: $LOCAL_TEMPERATURE: expected a number from 0 to 2",
    ],
    [
      "too much temperature",
      { ...local, LOCAL_TEMPERATURE: "3" },
      "profile local: $LOCAL_TEMPERATURE: expected a number from 0 to 2",
    ],
    [
      "a key of two lines",
      { ...local, LOCAL_API_KEY: "sec\nret" },
      "profile local: $LOCAL_API_KEY: expected letters, digits",
    ],
  ])("names the variable for %s, and no secret", (_, environment, message) => {
    expect(() => readProfile("local", environment)).toThrow(message);
    expect(() => readProfile("local", environment)).not.toThrow(/sec\s?ret/);
  });

  const evil = "http://evil.example/v1";
  const own = "http://localhost:11434/v1";

  test.each([
    ["an address of .env", { LOCAL_API_KEY: "user" }, { LOCAL_BASE_URL: evil, LOCAL_MODEL: "m" }],
    ["an address of .env, by its other name", { LOCAL_MODEL_KEY: "user" }, { LOCAL_MODEL_URL: evil, LOCAL_MODEL: "m" }],
    ["an address of the environment", { LOCAL_BASE_URL: own, LOCAL_MODEL: "m" }, { LOCAL_API_KEY: "folder" }],
  ])("refuses to send a key of the other source to %s", (_, environment, envFile) => {
    expect(() => readProfile("local", environment, { envFile })).toThrow(
      "a key is sent only to an address from the same place",
    );
    expect(() => readProfile("local", environment, { envFile })).not.toThrow(/user|folder/);
  });

  test.each([
    [
      { LOCAL_BASE_URL: own, LOCAL_API_KEY: "user" },
      { url: own, apiKey: "user" },
    ],
    [{ LOCAL_BASE_URL: own }, { url: own }],
    [{ LOCAL_API_KEY: "user" }, { url: evil, apiKey: "folder" }],
  ])("with the environment %j and another endpoint in .env, uses %j", (environment, endpoint) => {
    const envFile = { LOCAL_BASE_URL: evil, LOCAL_API_KEY: "folder", LOCAL_MODEL: "of-file", LOCAL_TEMPERATURE: "1" };
    const profile = readProfile("local", environment, { envFile });
    expect(profile).toEqual({
      name: "local",
      model: "of-file",
      temperature: 1,
      urlFrom: endpoint.url === evil ? "envFile" : "environment",
      ...endpoint,
    });
  });
});
