import { assert, suite } from '#libs/testing/suite.js';
import { unknownTypes, urlProblems } from './endpoint-rules.js';
import { isPublicAddress } from './public-address.js';

const test = suite('where webhooks may go');
const problems = (url: string): number => urlProblems(url, { allowPrivate: false }).length;

test('addresses of the public internet are public', () => {
  for (const address of ['1.1.1.1', '93.184.215.14', '172.15.0.1', '172.32.0.1', '2606:4700:4700::1111']) {
    assert.ok(isPublicAddress(address), address);
  }
});

test('no address of a machine, a network of its own, a provider or a cloud is public', () => {
  const four = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'];
  const more = ['169.254.169.254', '100.64.0.1', '100.127.255.255', '224.0.0.1', '255.255.255.255', '198.18.0.1'];
  const six = ['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1'];
  const within = [
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:1.1.1.1',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ];
  for (const address of [...four, ...more, ...six, ...within, '2001::1', '', 'example.com', '1.1.1']) {
    assert.not(isPublicAddress(address), address);
  }
});

test('a URL is https on a port of the web, with no user, no fragment and no private address in any spelling', () => {
  for (const url of ['https://example.com/hooks?a=1', 'https://example.com:8443/', 'https://1.1.1.1/']) {
    assert.is(problems(url), 0, url);
  }
  const wrong = [
    'http://example.com/',
    'https://u:p@example.com/',
    'https://example.com/#x',
    'https://example.com:22/',
  ];
  const hidden = [
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:a00:1]/',
  ];
  for (const url of [...wrong, ...hidden]) assert.is(problems(url), 1, url);
  assert.is(problems('http://u@10.0.0.1:25/#x'), 5);
  for (const url of ['', 'hooks', `https://example.com/${'x'.repeat(2_100)}`]) assert.is(problems(url), 1);
});

test('where private addresses are allowed, so are http and every port', () => {
  assert.equal(urlProblems('http://127.0.0.1:25/hooks', { allowPrivate: true }), []);
  assert.is(urlProblems('ftp://127.0.0.1/', { allowPrivate: true }).length, 1);
});

test('types are those of events, and all of a kind', () => {
  assert.equal(
    unknownTypes(['order.confirmed', 'order.*', 'waitlist.offered', 'refund.done', 'refund.*', 'order.eaten', '*']),
    ['order.eaten', '*'],
  );
});

test.run();
