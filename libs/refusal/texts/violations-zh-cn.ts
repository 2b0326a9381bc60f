/** What may be wrong with a field, by the English sentence. What is not here only operators and programs meet: it stays English. */
export const violationsZhCn: Readonly<Record<string, string>> = {
  'is required': '是必填项',
  'is not known': '不是已知的成员或参数',
  'must be an object': '必须是对象',
  'the body must be an object': '请求体必须是 JSON 对象',
  'the body is not valid JSON': '请求体不是有效的 JSON',
  'must be 1 to 128 printable ASCII characters without spaces': '必须是 1 到 128 个可打印的 ASCII 字符，且不含空格',
  'must be 1 to 255 printable ASCII characters without spaces': '必须是 1 到 255 个可打印的 ASCII 字符，且不含空格',
  'must be 1 to 255 printable ASCII characters without spaces, bare or in quotes':
    '必须是 1 到 255 个可打印的 ASCII 字符，且不含空格，可加引号',
  'must be 1 to 100 lines': '必须有 1 到 100 行',
  'must be a whole number': '必须是整数',
  'must be a whole number from 1 to 1000000': '必须是 1 到 1000000 的整数',
  'must be "queue" or "fail"': '必须是 "queue" 或 "fail"',
  'must be "refuse" or "join_waitlist"': '必须是 "refuse" 或 "join_waitlist"',
  'must be at most 500 characters, none of them a control character': '最多 500 个字符，且不含控制字符',
  'must be 1 to 500 characters, none of them a control character; staff only':
    '必须是 1 到 500 个字符，且不含控制字符；仅限员工使用',
  'must be an instant (RFC 3339)': '必须是时刻（RFC 3339）',
  'must be an instant between the years 1970 and 9999': '必须是 1970 年到 9999 年之间的时刻',
  'must be the next_page_token of the page before, of the same list': '必须是同一列表上一页给出的 next_page_token',
  'must name the user for whom this is done': '必须指明为哪位用户操作',
  'must be units that the order has': '必须是该订单中已有的名额',
};
