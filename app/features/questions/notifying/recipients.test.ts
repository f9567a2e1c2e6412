import { expect, test } from 'vitest'
import { type EventAudience, recipientsOf } from './notifying.server.ts'

const [actor, asker, parent, third, fourth] = [1, 2, 3, 4, 5]

test.each<[string, EventAudience, Record<number, string>]>([
	['a comment is told to the asker', { actorId: actor, questionAuthorId: asker }, { [asker]: 'comment' }],
	['nobody is told of their own act', { actorId: asker, questionAuthorId: asker, mentioned: [asker] }, {}],
	[
		'a reply notifies both authors',
		{ actorId: actor, questionAuthorId: asker, parentAuthorId: parent },
		{ [asker]: 'comment', [parent]: 'reply' },
	],
	[
		'an asker who is replied to is notified of the reply only',
		{ actorId: actor, questionAuthorId: asker, parentAuthorId: asker },
		{ [asker]: 'reply' },
	],
	[
		'a reply with a mention is notified as a mention only',
		{ actorId: actor, questionAuthorId: asker, parentAuthorId: parent, mentioned: [parent, third] },
		{ [asker]: 'comment', [parent]: 'mention', [third]: 'mention' },
	],
	['a solution is told to its author', { actorId: asker, solverId: third }, { [third]: 'solution' }],
	['an own comment that is a solution is told to nobody', { actorId: asker, solverId: asker }, {}],
	[
		'a follower who is mentioned is notified of the mention',
		{ actorId: actor, mentioned: [third], tagFollowers: [actor, third, fourth] },
		{ [third]: 'mention', [fourth]: 'followed' },
	],
	[
		'a deleted parent has no recipient',
		{ actorId: actor, questionAuthorId: asker, parentAuthorId: null },
		{ [asker]: 'comment' },
	],
])('%s', (_what, concerned, told) => {
	expect(Object.fromEntries(recipientsOf(concerned))).toEqual(told)
})
