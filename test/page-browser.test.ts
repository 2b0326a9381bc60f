import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { freePort } from '#libs/servers/free-port.js';
import { openBrowser } from '#libs/testing/browser.js';
import { fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentity, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type PageServer, pageUrl, startPageServer } from '../deploy/page/page-server.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { type HttpSaid, type Press, pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('the example page in a browser');
const files = fixtureFolder();
let mesh: TestMesh;
let server: PageServer;
let browser: Browser;
const contexts: BrowserContext[] = [];

test.before(async () => {
  const serviceToken = files.add('token', tokenOf('bff', { role: 'SERVICE' }));
  const port = await freePort();
  mesh = await startTestMesh({
    ...{ scheduler: true, sandbox: true, gatewayEnv: testIdentity() },
    bffEnv: { ...testIdentity(), SERVICE_TOKEN_PATH: serviceToken, CORS_ORIGINS: `http://127.0.0.1:${port}` },
  });
  server = await startPageServer(port, mesh.http);
  browser = await openBrowser();
});
test.after.each(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});
test.after(async () => {
  await browser?.close();
  await server?.close();
  const violations = await mesh.ledger.violations();
  await mesh.close();
  files.remove();
  assert.equal(violations, []);
});

/** Somebody at the page of a sku, and the reservations that the page sent. */
interface Visitor {
  page: Page;
  context: BrowserContext;
  user: string;
  sent: Request[];
  keys(): Set<string | undefined>;
  orders(): Promise<number>;
  state(state: string): Promise<void>;
}

async function visit(sku: OnSale, user = `user-${randomUUID()}`): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 720, height: 620 } });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(9_000);
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url() === `${mesh.http}/v1/orders`) sent.push(request);
  });
  await page.goto(pageUrl(server.origin, { api: mesh.http, store: sku.storeId, sku: sku.skuId, token: tokenOf(user) }));
  return {
    ...{ page, context, user, sent },
    keys: () => new Set(sent.map((request) => request.headers()['idempotency-key'])),
    async orders() {
      const rows = await mesh.ledger.sql<{ orders: string }>(
        'SELECT count(*) AS orders FROM ledger.orders WHERE user_id = $1',
        [user],
      );
      return Number(rows[0]?.orders);
    },
    async state(state) {
      await page.locator(`main[data-state=${state}]`).waitFor({ timeout: 9_000 });
      await look(page, state.toLowerCase());
    },
  };
}

/** Keeps what a person would see, for whoever wants to look: HOLDFAST_SCREENSHOTS names a folder. */
async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.HOLDFAST_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** A link with so much delay each way, and 50 kB a second. */
async function slow({ context, page }: Visitor, latency: number): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const bytesPerSecond = 50_000;
  const throughput = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...throughput });
}

const book = (page: Page) => page.getByRole('button', { name: /^(Book|Send it again|Try again)$/ });

test('a slow link and ten presses in a second: two requests at most, one order', async () => {
  const sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { capacity: 20 });
  const visitor = await visit(sku);
  const { page, state, sent, orders } = visitor;
  await state('IDLE');
  await slow(visitor, 400);
  const button = await book(page).boundingBox();
  assert.ok(button);
  const startedAt = performance.now();
  for (let press = 1; press <= 10; press += 1) {
    // As a person does, where the button is, whatever it says meanwhile.
    await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    if (press === 1) await look(page, 'sending');
    await until(() => performance.now() - startedAt >= press * 95);
  }
  await state('HELD');
  assert.ok(sent.length >= 1 && sent.length <= 2, `${sent.length} requests`);
  assert.is(await orders(), 1);
});

test('a reload in the middle goes on by itself, under the same key', async () => {
  const visitor = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }));
  const { page, state, sent, keys, orders } = visitor;
  await state('IDLE');
  await slow(visitor, 400);
  await book(page).click();
  await until(() => sent.length === 1);
  await page.reload();
  await state('HELD');
  assert.equal([sent.length, keys().size], [2, 1]);
  assert.is(await orders(), 1);
  await page.reload();
  await state('HELD');
  assert.equal([keys().size, await orders()], [1, 1]);
});

test('whoever is offline is told so, and goes on under the same key when the network is back', async () => {
  const { page, context, state, keys, orders } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }));
  await state('IDLE');
  await context.setOffline(true);
  await book(page).click();
  await state('UNREACHABLE');
  assert.is(await page.locator('#headline-text').textContent(), 'You are offline');
  assert.is(await orders(), 0);
  await context.setOffline(false);
  await state('HELD');
  assert.equal([keys().size, await orders()], [1, 1]);
});

test('it works by keyboard, tells what happens in a live region, and keeps the focus', async () => {
  const { page, state } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { priceMinor: 4_200 }));
  await state('IDLE');
  await page.keyboard.press('Tab');
  assert.is(await focused(page), 'book');
  await page.keyboard.press('Enter');
  await state('HELD');
  const status = page.getByRole('status');
  assert.equal([await status.getAttribute('aria-live'), await status.getAttribute('aria-atomic')], ['polite', 'true']);
  assert.match((await status.textContent()) ?? '', /It is yours for now/);
  assert.is(await focused(page), 'pay');
  assert.is(await page.locator('#clock').getAttribute('aria-live'), 'off');
});

const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.id');

test('what is held counts down, is paid on the page of the provider, and is confirmed before the eyes', async () => {
  const { page, state } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { priceMinor: 4_200 }));
  await book(page).click();
  await state('HELD');
  const clock = page.locator('#clock');
  const first = await clock.textContent();
  assert.match(first ?? '', /^Kept for you for \d+:\d\d$/);
  await until(async () => (await clock.textContent()) !== first);
  await page.getByRole('button', { name: 'Pay' }).click();
  const link = page.getByRole('link', { name: 'Go to the payment page' });
  await link.waitFor();
  const url = await link.getAttribute('href');
  assert.is((await fetch(`${url}/press`, { method: 'POST' })).status, 200);
  await state('CONFIRMED');
  assert.match((await page.locator('#detail').textContent()) ?? '', /^Show this code: \w+$/);
  await page.reload();
  await state('CONFIRMED');
});

test('a place in line is shown as it moves, and the turn comes by itself', async () => {
  const sku = await onSale(mesh, { perSecond: 1, burst: 1, onBusy: 'QUEUE' });
  // Whoever knows the sku meets its limit: these take what the bucket holds, and places before the visitor's.
  const others = Array.from({ length: 4 }, () => somebody(sku));
  await until(async () => {
    const said = await Promise.all(others.map((other) => press(other)));
    return said.filter(({ body }) => body.state === 'QUEUED').length >= 2;
  });
  const { page, state, sent, orders } = await visit(sku);
  await book(page).click();
  await state('QUEUED');
  const ahead = page.locator('#ahead-count');
  assert.ok(Number(await ahead.textContent()) >= 1);
  await state('HELD');
  // Once to hear of the line, and once when its stream says that the turn has come; a lost race for it is one more.
  assert.ok(sent.length <= 3, `${sent.length} requests`);
  assert.is(await orders(), 1);
});

test('who waits for what is sold out sees the offer come', async () => {
  const sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const holder = somebody(sku);
  const held = await until(async () => {
    const said = await press(holder);
    return said.status === 201 ? said : undefined;
  });
  const { page, state } = await visit(sku);
  await book(page).click();
  await state('WAITLISTED');
  assert.match((await page.locator('#ahead').textContent()) ?? '', /You are next/);
  await page.reload();
  await state('WAITLISTED');
  await cancel(holder.user, String(held.body.order_id));
  await state('HELD');
});

function press(one: Press): Promise<HttpSaid> {
  return pressHttp(mesh.http, { ...one, headers: { authorization: bearerOf(one.user) } });
}

async function cancel(user: string, orderId: string): Promise<void> {
  const headers = { authorization: bearerOf(user), 'idempotency-key': 'cancel' };
  const response = await fetch(`${mesh.http}/v1/orders/${orderId}:cancel`, { method: 'POST', headers });
  assert.is(response.status, 200);
}

test('while streams are away the page asks again and again, and misses no end', async () => {
  const { page, state } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.route('**/events', (route) => route.abort());
  await book(page).click();
  await state('HELD');
  await page.getByRole('button', { name: 'Give it up' }).click();
  await state('ENDED');
  assert.ok(asked.some((url) => /\/v1\/orders\/[\w-]+$/.test(url)));
});

test('a no is told in words of the edge, and the next press is another try', async () => {
  const sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { capacity: 1, onSoldOut: 'REFUSE' });
  const holder = somebody(sku);
  const held = await until(async () => {
    const said = await press(holder);
    return said.status === 201 ? said : undefined;
  });
  const { page, state, keys, sent } = await visit(sku);
  await book(page).click();
  await state('NO');
  const no = await press(somebody(sku));
  assert.is(await page.locator('#headline-text').textContent(), no.body.title);
  await page.reload();
  await state('IDLE');
  assert.is(sent.length, 1);
  await cancel(holder.user, String(held.body.order_id));
  await until(async () => {
    await book(page).click();
    await page.locator('main:is([data-state=HELD], [data-state=NO])').waitFor();
    return (await page.locator('main[data-state=HELD]').count()) === 1;
  });
  assert.is(keys().size, sent.length);
});

test('an order that is given up is over, and its key with it', async () => {
  const { page, state, keys, orders } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }));
  await book(page).click();
  await state('HELD');
  await page.getByRole('button', { name: 'Give it up' }).click();
  await state('ENDED');
  await book(page).click();
  await state('HELD');
  assert.is(keys().size, 2);
  assert.is(await orders(), 2);
});

test('whoever is signed out meanwhile signs in, and goes on with the same wish by itself', async () => {
  const { page, state, keys, orders, user } = await visit(await onSale(mesh, { perSecond: 1_000, burst: 1_000 }));
  await page.evaluate(`sessionStorage.setItem('holdfast.token', '${tokenOf(user, { seconds: -60 })}')`);
  await book(page).click();
  await state('LOGIN');
  await page.getByLabel('Your token').fill(tokenOf(user));
  await page.keyboard.press('Enter');
  await state('HELD');
  assert.equal([keys().size, await orders()], [1, 1]);
});

test.run();
