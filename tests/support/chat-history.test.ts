import { expect, test } from 'vitest'
import {
	findViolations,
	type SeenMessage,
	type View,
	type WrittenMessage,
	type WrittenMessages,
} from './chat-history.ts'

const message = (number: number, changes: Partial<SeenMessage> = {}): SeenMessage => ({
	id: number,
	clientId: `c${number}`,
	sender: 'mira',
	body: `text ${number}`,
	version: number,
	...changes,
})
const [one, two, three] = [message(1), message(2), message(3)]
const written: WrittenMessages = {
	from: 'mira',
	to: 'tomas',
	messages: [
		{ clientId: 'c1', body: 'text 1', acknowledged: 1, changes: [] },
		{ clientId: 'c2', body: 'text 2', acknowledged: 2, changes: [] },
		{ clientId: 'c3', body: 'text 3', acknowledged: null, changes: [] },
	],
}
const view = (messages: SeenMessage[], changes: Partial<View> = {}): View => ({
	member: 'mira',
	peer: 'tomas',
	by: 'page',
	version: 3,
	messages,
	...changes,
})

test.each([
	['everything is there', [one, two, three]],
	['what was not acknowledged is missing', [one, two]],
])('nothing is broken when %s', (_what, messages) => {
	expect(findViolations([written], [view(messages), view(messages, { member: 'tomas', peer: 'mira' })])).toEqual([])
})

test.each<[string, View[]]>([
	['lost though acknowledged', [view([one, three])]],
	['doubled', [view([one, two, message(4, { clientId: 'c2', body: 'text 2', version: 0 })])]],
	['changed', [view([one, message(2, { body: 'other' })])]],
	['acknowledged as another one', [view([one, message(5, { clientId: 'c2', body: 'text 2', version: 2 })])]],
	['never written', [view([one, two, message(3, { clientId: 'x' })])]],
	[
		'not in the order of writing',
		[
			view([
				message(1),
				message(2, { clientId: 'c3', body: 'text 3' }),
				message(3, { clientId: 'c2', body: 'text 2' }),
			]),
		],
	],
	['see it differently', [view([one, two]), view([one, two, three], { member: 'tomas', peer: 'mira' })]],
	['ids do not ascend', [view([two, one])]],
	['one version names two changes', [view([one, message(2, { version: 1 })])]],
	['a change is newer than the conversation', [view([one, two], { version: 1 })]],
])('the checker notices: %s', (what, views) => {
	expect(findViolations([written], views).join('\n')).toContain(what)
})

const changed = (...changes: WrittenMessage['changes']): WrittenMessages => ({
	from: 'mira',
	to: 'tomas',
	messages: [{ clientId: 'c1', body: 'text 1', acknowledged: 1, changes }],
})
const done = (body: string) => ({ body, acknowledged: true })
const tried = (body: string) => ({ body, acknowledged: false })

test.each<[string, WrittenMessages, string[], string[]]>([
	['an acknowledged edit stands', changed(done('new')), ['new'], ['text 1', '']],
	['an edit without an answer may have happened', changed(tried('new')), ['text 1', 'new'], ['']],
	['it may have happened late', changed(tried('new'), done('newer')), ['new', 'newer'], ['text 1']],
	['what was deleted stays deleted', changed(done(''), tried('new')), [''], ['new', 'text 1']],
	['a deletion without an answer may have happened', changed(tried('')), ['', 'text 1'], ['other']],
])('%s', (_what, wrote, sound, broken) => {
	const seen = (body: string) => findViolations([wrote], [view([message(1, { body })])])
	for (const body of sound) expect(seen(body)).toEqual([])
	for (const body of broken) expect(seen(body).join()).toContain('changed')
})
