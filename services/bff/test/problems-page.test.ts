import { reasons } from '#libs/refusal/catalogue.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type EdgeUnderTest, startEdgeUnderTest } from './edge-under-test.js';

const test = suite('pages of problems');
const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
const chinese = /[\u4e00-\u9fff]/;
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.after(() => edge.close());

test('the type of a problem leads to what explains it', async () => {
  const { body: problem } = await edge.ask('/v1/nothing');
  const explained = await edge.ask(String(problem.type));
  assert.equal([explained.status, explained.body.reason, explained.body.status], [200, 'RESOURCE_NOT_FOUND', 404]);
});

test('every reason is listed and explained, to programs as JSON and to browsers as a page, in both languages', async () => {
  const listed = (await edge.ask('/problems')).body.problems as { reason: string; type: string }[];
  assert.equal(
    listed.map(({ reason }) => reason),
    reasons,
  );
  for (const { reason, type } of listed) {
    const json = await edge.ask(type, { headers: { 'accept-language': 'zh-CN' } });
    assert.equal([json.status, json.body.reason, json.headers.get('content-language')], [200, reason, 'zh-CN']);
    assert.match(String(json.body.next), chinese);
    const page = await edge.ask(type, { headers: { accept: browser } });
    assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.ok(page.text.includes(`<code>${reason}</code>`));
    assert.not.match(page.text, /<script| style="|https?:/);
  }
});

test('pages keep to their policy, and say by what they vary', async () => {
  for (const [language, expected] of [
    ['en', /<html lang="en">[\s\S]*<h1>Sold out<\/h1>/],
    ['zh', /<html lang="zh-CN">[\s\S]*<h1>已售罄<\/h1>/],
  ] as const) {
    const { headers, text } = await edge.ask('/problems/sold-out', {
      headers: { accept: browser, 'accept-language': language },
    });
    assert.match(text, expected);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
    assert.is(headers.get('vary'), 'Accept, Accept-Language');
  }
});

test('what is no reason is 404, and so is another spelling of one', async () => {
  for (const name of ['nobody', 'SOLD_OUT', 'sold_out', 'constructor', 'to-string', '%3Cscript%3E']) {
    const { status, body } = await edge.ask(`/problems/${name}`);
    assert.equal([status, body.reason], [404, 'RESOURCE_NOT_FOUND'], name);
  }
});

test.run();
