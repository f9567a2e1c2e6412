import { expect, test } from 'vitest'
import { parseSearch, withoutOperator } from './parse.ts'

test.each<[search: string, words: string, operators: string[]]>([
	['', '', []],
	['undo commit', 'undo commit', []],
	['tag:java', '', ['tag:java']],
	['TAG:Java loop', 'loop', ['tag:java']],
	['loop tag:java -tag:kotlin', 'loop', ['tag:java', '-tag:kotlin']],
	['tag:a tag:b tag:a', '', ['tag:a', 'tag:b']],
	['tag:"machine learning"', '', ['tag:machine-learning']],
	['tag:#java user:@Asha', '', ['tag:java', 'user:asha']],
	['category:"Git and tools"', '', ['category:git-and-tools']],
	['is:solved is:unanswered -is:solved', '', ['is:solved', 'is:unanswered', '-is:solved']],
	['is:unsolved', '', ['is:unsolved']],
	['tag:c++ tag:c# tag:.net', '', ['tag:c++', 'tag:c#', 'tag:.net']],
	['"event loop" -timer', '"event loop" -timer', []],
	['-"event loop" x', '-"event loop" x', []],
	['"tag:java inside"', '"tag:java inside"', []],
	['a or b', 'a or b', []],
	['tag: category: user:', 'tag: category: user:', []],
	['tag:"" tag:# user:@', 'tag:"" tag:# user:@', []],
	['is:open has:image std::vector http://a.example', 'is:open has:image std::vector http://a.example', []],
	['"never closed tag:java', '"never closed tag:java', []],
	['tag:"never closed', '', ['tag:never-closed']],
	['--tag:x', 'tag:x', []],
	['git reset --hard -soft', 'git reset hard -soft', []],
	['-https://x.example/?a=b', '-"https://x.example/?a=b"', []],
	['java -Dx.y=z -XX:+UseG1GC -XX:-Foo -jar -"a=b"', 'java Dx.y=z XX:+UseG1GC XX: Foo -jar -"a=b"', []],
	['reset —hard −soft ––x', 'reset hard soft x', []],
	['“event loop” now', '"event loop" now', []],
	['&quot;event loop&quot; Q&amp;A don&#39;t &unknown;', '"event loop" Q&A don\'t &unknown;', []],
	['xtag:y', 'xtag:y', []],
	['\n\t tag:x \u00a0 y', 'y', ['tag:x']],
	['tag:user:x', '', ['tag:user:x']],
	["tag:'; drop table questions; --", 'drop table questions;', ["tag:';"]],
	['value - expression – or — error −', 'value expression or error', []],
	['機械学習 の java', '"機械学習" の java', []],
	['System.out.println(x) view.render() -a.b 1.5 x.', 'System.out.println(x) "view.render"() -"a.b" 1.5 x.', []],
	['180°-turn 180°—turn a/-b x:-y pre-commit', '180° turn 180° turn a/ b x: y pre-commit', []],
	['c++-code .net-core 日-x 日本-x 日本。-x', 'c++ code .net core 日 x "日本" x "日本"。 x', []],
	['x -> y -& z f()-g', 'x -">" y -"&" z f() g', []],
	['x -180°-turn -a/b -日本。x -pre-commit', 'x -"180°-turn" -"a/b" -"日本。x" -pre-commit', []],
	['x -2.x -file.tar-gz v2.x-beta', 'x -"2.x" -"file.tar-gz" v2.x-beta', []],
	['tag:bash && ? 🙏', '', ['tag:bash']],
	['bash && "&&"', 'bash && "&&"', []],
	['in:title -in:comments in:body', 'in:body', ['in:title', '-in:comments']],
	['tag:a or tag:b x', 'x', ['tag:a', 'or tag:b']],
	['tag:x tag:a OR tag:b or tag:c', '', ['tag:x', 'tag:a', 'or tag:b', 'or tag:c']],
	['user:a or user:b category:c or category:d', '', ['user:a', 'or user:b', 'category:c', 'or category:d']],
	['tag:a or user:b', '', ['tag:a', 'user:b']],
	['tag:a or -tag:b', '', ['tag:a', '-tag:b']],
	['is:solved or is:unanswered', '', ['is:solved', 'is:unanswered']],
	['loop or tag:a', 'loop', ['tag:a']],
	['a tag:b or c', 'a c', ['tag:b']],
	['loop or tag:a while', 'loop while', ['tag:a']],
	['a or tag:b or c or d', 'a c or d', ['tag:b']],
	['or a or b tag:c or', 'a or b', ['tag:c']],
	['tag:x tag:y tag:x or tag:z', '', ['tag:x', 'tag:y', 'tag:x', 'or tag:z']],
	['tag:c tag:go or tag:c', '', ['tag:c', 'tag:go', 'or tag:c']],
	['tag:a or tag:b tag:a', '', ['tag:a', 'or tag:b', 'tag:a']],
	['tag:a or tag:b or tag:a tag:b or tag:a', '', ['tag:a', 'or tag:b']],
	['tag:a or tag:a tag:a', '', ['tag:a']],
])('%j has the words %j and the operators %j', (search, words, operators) => {
	const parsed = parseSearch(search)
	expect(parsed.terms.map(({ source }) => source).join(' ')).toBe(words)
	expect(
		parsed.operators.map(
			({ kind, value, excluded, isAlternative }) =>
				`${isAlternative ? 'or ' : ''}${excluded ? '-' : ''}${kind}:${value}`,
		),
	).toEqual(operators)
})

test.each([
	['tag:a or tag:b or tag:c x', 0, 'tag:b or tag:c x'],
	['tag:a or tag:b or tag:c x', 1, 'tag:a or tag:c x'],
	['tag:a or tag:b or tag:c x', 2, 'tag:a or tag:b x'],
	['x or y tag:a or tag:b', 0, 'x or y tag:b'],
	['tag:a or tag:a or tag:b', 0, 'tag:b'],
	['tag:a or user:b', 1, 'tag:a'],
	['tag:a or user:b', 0, 'user:b'],
	['is:solved or is:unanswered', 0, 'is:unanswered'],
	['loop or tag:a while', 0, 'loop while'],
	['a or tag:b or c', 0, 'a c'],
])('%j without its operator %i is %j', (search, number, rest) => {
	const parsed = parseSearch(search)
	const gone = parsed.operators[number]
	expect(gone && withoutOperator(parsed, gone)).toBe(rest)
})

test.each([
	['tag:a or user:b', true],
	['is:solved or is:unanswered', true],
	['loop or tag:a', true],
	['loop or tag:a while', true],
	['a tag:b or c', true],
	['tag:a or', false],
	['or tag:a', false],
	['tag:a or tag:b', false],
	['a or b tag:c', false],
	['a or', false],
])('an `or` of %j joins nothing: %s', (search, ignores) => {
	expect(parseSearch(search).ignoresOr).toBe(ignores)
})

test.each([
	['git reset --hard', ['--hard']],
	['commit —no-verify, ––depth=1', ['--no-verify', '--depth']],
	['a--b - -- ---- -x --9 "--quiet"', []],
])('%j has the options %j', (search, options) => {
	expect(parseSearch(search).terms.flatMap(({ option }) => option ?? [])).toEqual(options)
})

test.each([
	['loop tag:java "a  b" TAG:java -tag:java', 'loop "a  b" -tag:java'],
	['tag:java', ''],
])('without its first operator %j is %j', (search, rest) => {
	const parsed = parseSearch(search)
	const [first] = parsed.operators
	expect(first && withoutOperator(parsed, first)).toBe(rest)
})

test.each(['"'.repeat(20_000), 'tag:'.repeat(5_000), '-'.repeat(20_000), 'tag:"'.repeat(4_000)])(
	'a hostile search keeps all of its text',
	(search) => {
		expect(parseSearch(search).parts.join('').length).toBe(search.length)
	},
)
