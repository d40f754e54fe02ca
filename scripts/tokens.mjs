// The package jose for scripts/tokens.py. `sign JWK` reads claims, a line each, and writes tokens; `verify JWK` reads
// tokens and writes the claims of those that are valid, and null for others. The package is in the folder of the third
// argument.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [action, text, folder] = process.argv.slice(2);
const place = createRequire(folder + "/").resolve("jose");
const jose = await import(pathToFileURL(place));
const jwk = JSON.parse(text);
const key = await jose.importJWK(jwk, jwk.alg);
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  let answer = "null";
  if (action === "sign") {
    const header = { alg: jwk.alg, kid: jwk.kid };
    answer = await new jose.CompactSign(new TextEncoder().encode(line)).setProtectedHeader(header).sign(key);
  } else {
    try {
      const { payload } = await jose.jwtVerify(line, key, { algorithms: [jwk.alg] });
      answer = JSON.stringify(payload);
    } catch {
      // It is not valid.
    }
  }
  if (!process.stdout.write(answer + "\n")) {
    await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}
