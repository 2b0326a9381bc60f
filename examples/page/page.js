// The page: what is on sale, one button, and what became of it. The address says what it is about, after the #, which no
// server sees: #api=http://127.0.0.1:8080&store=kiln&sku=kiln-mug&token=…
import { Api } from './api.js';
import { Booking } from './booking.js';
import { aheadWords, durationOf, factsOf, wordsOf } from './words.js';

/** A button that was pressed is off for so long, whatever the answer. */
const OFF_MS = 2_000;

const element = (id) => document.getElementById(id);
const page = element('page');
const address = readAddress();
const api = new Api(address.api, () => sessionStorage.getItem('holdfast.token') ?? '');
const wish = { store_id: address.store, lines: [{ sku_id: address.sku, quantity: 1 }] };
const booking = new Booking({ api, wish, memory: memoryOf(address), show });

let view = { state: 'LOADING' };
let pressedAt = Number.NEGATIVE_INFINITY;

onPress('book', () => booking.press());
onPress('again', () => (view.state === 'PROBLEM' ? booking.resume() : booking.startAnew()));
onPress('give-up', () => booking.giveUp());
onPress('leave', () => booking.leave());
onPress('pay', pay);
element('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('holdfast.token', element('token').value.trim());
  element('token').value = '';
  booking.resume();
  element('book').focus();
});
addEventListener('offline', paint);
addEventListener('online', paint);
setInterval(tick, 250);

void showSku();
if (sessionStorage.getItem('holdfast.token') === null) show({ state: 'LOGIN', title: 'Who are you?', detail: '' });
else booking.resume();

/** The token leaves the address bar at once, and stays with this tab. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token');
  if (token) sessionStorage.setItem('holdfast.token', token);
  given.delete('token');
  history.replaceState(null, '', `#${given}`);
  return {
    api: given.get('api') ?? 'http://127.0.0.1:8080',
    store: given.get('store') ?? 'kiln',
    sku: given.get('sku') ?? 'kiln-mug',
  };
}

/** The key of the wish outlives reloads and the tab, until the wish is decided; each person has their own. */
function memoryOf({ api: base, store, sku }) {
  const name = () =>
    `holdfast.key ${[base, store, sku, personOf(sessionStorage.getItem('holdfast.token') ?? '')].join(' ')}`;
  return {
    read: () => localStorage.getItem(name()),
    write: (key) => localStorage.setItem(name(), key),
    forget: () => localStorage.removeItem(name()),
  };
}

/** Whom a token names, which only the edge can judge. */
function personOf(token) {
  try {
    return JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub;
  } catch {
    return '';
  }
}

/** A button works again after two seconds at the earliest: ten presses in a row are one. */
function onPress(id, act) {
  element(id).addEventListener('click', () => {
    if (isOff(id)) return;
    pressedAt = performance.now();
    setTimeout(paint, OFF_MS);
    paint();
    act();
  });
}

function isOff(id) {
  return performance.now() - pressedAt < OFF_MS || (id === 'book' && isUnderWay());
}

/** A wish that has a place or a promise needs no press; one that nobody answered may be sent again. */
function isUnderWay() {
  return ['LOADING', 'PENDING', 'QUEUED', 'BUSY', 'OPENS'].includes(view.state);
}

async function pay() {
  const url = await booking.pay();
  if (!url || !/^https?:/.test(url)) return;
  element('pay-link').href = url;
  view = { ...view, payAt: url };
  paint();
  element('pay-link').focus();
}

async function showSku() {
  const { status, body } = await api
    .ask('GET', `/v1/skus/${encodeURIComponent(address.sku)}`)
    .catch(() => ({ status: 0 }));
  element('store').textContent = address.store;
  element('title').textContent = status === 200 ? body.title : address.sku;
  element('facts').textContent = status === 200 ? factsOf(body) : '';
}

function show(next) {
  const isAnotherOrder = next.order?.order_id !== view.order?.order_id;
  view = { ...(isAnotherOrder ? {} : { payAt: view.payAt }), ...next };
  if (['HELD', 'NO', 'ENDED', 'WAITLISTED', 'CONFIRMED'].includes(next.state)) void showSku();
  paint();
}

/** Draws all from the view: nothing else changes the page. */
function paint() {
  const { state, order, ahead } = view;
  const [headline, detail] = wordsOf(view);
  page.dataset.state = state;
  page.setAttribute('aria-busy', String(['LOADING', 'SENDING', 'PENDING', 'QUEUED', 'BUSY'].includes(state)));
  // What is read aloud changes only when there is something new to say.
  setText('headline-text', headline);
  setText('detail', detail);
  const needsPay = state === 'HELD' && Number(order?.amount_minor) > 0;
  const shown = {
    book: !['HELD', 'CONFIRMED', 'WAITLISTED', 'LOGIN', 'PROBLEM'].includes(state),
    pay: needsPay && !view.payAt,
    'pay-link': needsPay && Boolean(view.payAt),
    'give-up': state === 'HELD',
    leave: state === 'WAITLISTED',
    again: state === 'CONFIRMED' || state === 'PROBLEM',
    login: state === 'LOGIN',
    ahead: ahead !== undefined,
  };
  const focused = document.activeElement?.id;
  for (const [id, isShown] of Object.entries(shown)) element(id).hidden = !isShown;
  for (const id of ['book', 'pay', 'give-up', 'leave', 'again'])
    element(id).setAttribute('aria-disabled', String(isOff(id)));
  setText('book', bookWords());
  setText('again', state === 'PROBLEM' ? 'Back' : 'Book another');
  setText('ahead-count', ahead > 0 ? String(ahead) : '');
  setText('ahead-words', aheadWords(ahead));
  // Whoever works by keyboard is not thrown back to the top when the button that was pressed goes away.
  if (focused && element(focused)?.hidden) firstShown(['pay-link', 'pay', 'leave', 'again', 'book', 'token'])?.focus();
  tick();
}

function bookWords() {
  const { state } = view;
  if (state === 'NO' || state === 'ENDED') return 'Try again';
  return state === 'UNREACHABLE' || (state === 'SENDING' && !isOff('book')) ? 'Send it again' : 'Book';
}

function firstShown(ids) {
  return ids.map(element).find((one) => one.offsetParent !== null);
}

/** What changes with time alone; never read aloud. */
function tick() {
  const { state, order, opensAt, againAt } = view;
  const expiresAt = Date.parse(state === 'HELD' ? (order.expires_at ?? '') : '') - api.clockAheadMs;
  const until = expiresAt || opensAt || againAt;
  element('clock').hidden = !until;
  if (!until) return;
  const left = durationOf(until - Date.now());
  setText('clock', expiresAt ? `Kept for you for ${left}` : opensAt ? `Opens in ${left}` : `Again in ${left}`);
}

function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}
