// proxy.mjs - nginx or Caddy in front of a gateway, with the block of module/docs/web.md in which only ports
// and paths are replaced.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import tls from "node:tls";

export const HOST = "boards.example"; // as on the page
const PATIENCE_MS = 15000;

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

// The block of the page that begins with the line "# TITLE".
function blockOf(title) {
  const page = readFileSync("module/docs/web.md", "utf8");
  const found = new RegExp("```text\n# " + title + "\n([^]*?)```").exec(page);
  assert.ok(found, `the page has no block of ${title}`);
  return found[1];
}

function replaced(text, old, by) {
  assert.ok(text.includes(old), `the block has no "${old}"`);
  return text.replaceAll(old, by);
}

// nginx before 1.25.1 has no "http2 on": the page says what it has.
function hasHttp2Line() {
  const said = spawnSync("nginx", ["-v"], { encoding: "utf8" }).stderr;
  const [major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(said).slice(1).map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 1025001;
}

function nginxBlock(port, gateway, folder) {
  let block = blockOf("nginx");
  if (!hasHttp2Line()) {
    const [, older] = /^ *http2 on; *# nginx before 1\.25\.1: (listen 443 .*;)$/m.exec(block);
    block = block.replace(/^ *http2 on;.*\n/m, "").replace(/listen 443 .*;/, older);
  }
  block = replaced(block, "listen 443 ", `listen 127.0.0.1:${port} `);
  block = replaced(block, "http://127.0.0.1:8080", gateway);
  return replaced(block, `/etc/letsencrypt/live/${HOST}`, folder);
}

export class Proxy {
  // gateway: its address, "http://127.0.0.1:8080"
  static async start(kind, gateway) {
    const proxy = new Proxy();
    proxy.port = await freePort();
    proxy.folder = mkdtempSync(join(tmpdir(), "laurel-proxy-"));
    proxy.authority = `${HOST}:${proxy.port}`;
    if (kind === "nginx") proxy.startNginx(gateway);
    else await proxy.startCaddy(gateway);
    proxy.ended = once(proxy.child, "exit");
    await proxy.ready(kind);
    proxy.authorities = readFileSync(proxy.certificate);
    return proxy;
  }

  startNginx(gateway) {
    this.certificate = join(this.folder, "fullchain.pem");
    const key = join(this.folder, "privkey.pem");
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${HOST}`]
        .concat(["-addext", `subjectAltName=DNS:${HOST}`, "-keyout", key, "-out", this.certificate]),
      { stdio: "ignore" },
    );
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (each) => `${each}_temp_path ${join(this.folder, each)};`,
    );
    writeFileSync(
      join(this.folder, "nginx.conf"),
      `daemon off; pid ${this.folder}/pid; error_log ${this.folder}/log; events {}
       http { access_log off; ${places.join(" ")}
         gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;
         ${nginxBlock(this.port, gateway, this.folder)} }`,
    );
    this.run("nginx", ["-p", this.folder, "-e", join(this.folder, "log"), "-c", "nginx.conf"]);
  }

  // Its own authority signs the certificate, in place of Let's Encrypt.
  async startCaddy(gateway) {
    const block = replaced(blockOf("Caddy"), "127.0.0.1:8080", gateway.replace("http://", ""));
    writeFileSync(
      join(this.folder, "Caddyfile"),
      `{
         admin off
         http_port ${await freePort()}
         https_port ${this.port}
         default_bind 127.0.0.1
         local_certs
         skip_install_trust
       }
       ${block}`,
    );
    this.certificate = join(this.folder, "caddy/pki/authorities/local/root.crt");
    mkdirSync(join(this.folder, "config"));
    this.run("caddy", ["run", "--adapter", "caddyfile", "--config", join(this.folder, "Caddyfile")], {
      XDG_DATA_HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, "config"),
      HOME: this.folder,
    });
  }

  run(program, words, env = {}) {
    this.child = spawn(program, words, {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.said = "";
    this.child.stderr.on("data", (bytes) => (this.said = (this.said + bytes).slice(-4000)));
  }

  // Caddy listens before it has its certificate.
  async ready(kind) {
    for (const end = Date.now() + PATIENCE_MS; ; await pause(20)) {
      assert.ok(Date.now() < end && this.child.exitCode === null, `${kind} did not start: ${this.said}`);
      if (!existsSync(this.certificate)) continue;
      const socket = tls.connect({
        host: "127.0.0.1",
        port: this.port,
        servername: HOST,
        ca: readFileSync(this.certificate),
      });
      const isSecure = await new Promise((done) => {
        socket.on("secureConnect", () => done(true)).on("error", () => done(false));
      });
      socket.destroy();
      if (isSecure) return;
    }
  }

  async close() {
    this.child.kill("SIGTERM");
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
