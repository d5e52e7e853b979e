// browser.mjs - Chromium for the tests: pages that report everything that goes wrong in them.
//
//   BROWSER_MODULES   the folder with node_modules (`run` installs them there)
//   CHROMIUM          the browser; default: /usr/bin/chromium
//   PICTURES          a folder for pictures; without it none are kept
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const require = createRequire(resolve(process.env.BROWSER_MODULES || "build/browser") + "/");
const puppeteer = require("puppeteer-core");
const PICTURES = process.env.PICTURES;
const WAIT_MS = 20000;

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "laurel-browser-"));
    browser.chromium = await puppeteer.launch({
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      userDataDir: browser.profile,
      pipe: true,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--force-color-profile=srgb",
      ],
    });
    return browser;
  }

  // Opens a page. Options: width, height, and what the viewer asks for: `reduced` motion, `light`
  // pages.
  async open(url, { width = 800, height = 600, reduced = false, light = false } = {}) {
    const page = await this.chromium.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: "prefers-reduced-motion", value: reduced ? "reduce" : "no-preference" },
      { name: "prefers-color-scheme", value: light ? "light" : "dark" },
    ]);
    page.faults = [];
    page.on("pageerror", (error) => page.faults.push(String(error)));
    page.on("console", (message) => {
      // A gateway that is away is part of some tests; the pages themselves write nothing.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
        page.faults.push(message.text());
      }
    });
    await page.evaluateOnNewDocument(() => {
      globalThis.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => {
        globalThis.violations.push(
          `${event.violatedDirective}: ${event.blockedURI} ${event.sample}`,
        );
      });
    });
    await page.goto(url);
    return page;
  }

  async close() {
    await this.chromium.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}

// Waits until found(...args), run in the page, is true.
export async function until(page, found, ...args) {
  await page.waitForFunction(found, { polling: 60 }, ...args);
}

// Waits until nothing moves in the page.
export async function still(page) {
  await until(page, () => document.getAnimations().every((each) => each.playState === "finished"));
}

// Keeps a picture for people.
export async function picture(page, name) {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, name + ".png") });
}
