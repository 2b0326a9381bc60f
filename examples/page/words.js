// What the page says. Problems come with their own words, in the language that the browser asks for.

/** The headline and what more there is to say. */
export function wordsOf({ state, title, detail, order, why }) {
  switch (state) {
    case 'IDLE':
      return ['One press is enough', 'A second press, a reload or a lost connection books nothing twice.'];
    case 'SENDING':
      return navigator.onLine ? ['Sending your wish', ''] : offline;
    case 'PENDING':
      return ['Taken, and being decided', 'This takes some seconds. You may close the page and come back.'];
    case 'QUEUED':
      return ['You are in line', 'Keep this page open: your turn comes by itself.'];
    case 'WAITLISTED':
      return ['Sold out, and you are on the waitlist', 'You may close the page; your place is kept.'];
    case 'HELD':
      return [
        'It is yours for now',
        Number(order.amount_minor) > 0 ? `To pay: ${priceOf(order.amount_minor, order.currency)}.` : '',
      ];
    case 'CONFIRMED':
      return ['Booked', order.code ? `Show this code: ${order.code}` : ''];
    case 'UNREACHABLE':
      return navigator.onLine ? ['No answer came', 'It is sent again by itself, and cannot count twice.'] : offline;
    case 'ENDED':
      return endings[why] ?? ['It is over', ''];
    case 'LOADING':
      return ['One moment', ''];
    default:
      return [title, detail === title ? '' : detail];
  }
}

const offline = ['You are offline', 'Nothing is lost: it goes on by itself when the network is back.'];
const endings = {
  CANCELLED: ['You gave it up', 'Nothing is booked.'],
  EXPIRED: ['The time is over', 'It was not paid in time and went back on sale.'],
  FULFILLED: ['Used', 'This order was used at the door.'],
  LEFT: ['You left the waitlist', 'Nothing is booked.'],
  ENDED: ['The sale is over', 'Nothing came free for you.'],
};

/** When, for how much, and how many are free. */
export function factsOf({ price_minor: minor, currency, starts_at: startsAt, time_zone: timeZone, availability }) {
  const price = Number(minor) > 0 ? priceOf(minor, currency) : 'free of charge';
  const when = startsAt && new Date(startsAt).toLocaleString([], { dateStyle: 'full', timeStyle: 'short', timeZone });
  const free = availability && `${availability.free} free`;
  return [when, price, free].filter(Boolean).join(' · ');
}

function priceOf(minor, currency) {
  const format = new Intl.NumberFormat([], { style: 'currency', currency });
  return format.format(Number(minor) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** What follows the number of those who come before. */
export function aheadWords(ahead) {
  if (ahead === 0) return 'You are next';
  return ahead === 1 ? 'person is ahead of you' : 'people are ahead of you';
}

/** `9:41`, with hours and days where there are any. */
export function durationOf(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (number) => String(number).padStart(2, '0');
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const clock = `${hours > 0 || days > 0 ? `${two(hours)}:` : ''}${two(minutes)}:${two(seconds % 60)}`;
  return days > 0 ? `${days} d ${clock}` : clock;
}
