import { expect, test } from 'vitest'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { postingLimitAt } from './moderation.limits.ts'
import {
	mayLogOut,
	mayModerate,
	mayReadLog,
	mayReport,
	maySeeUnpublished,
	maySetRole,
	maySuspend,
} from './moderation.policy.ts'

const someone = (id: number, role: SignedIn['role']): SignedIn => ({ id, username: 'x', name: 'X', image: null, role })
const member = someone(1, 'member')
const moderator = someone(2, 'moderator')
const admin = someone(3, 'admin')

test.each<[string, Viewer, boolean[]]>([
	['a visitor', null, [false, false, false, false]],
	['a member', member, [true, false, false, false]],
	['the author', someone(9, 'member'), [false, false, false, true]],
	['a moderator', moderator, [true, true, false, true]],
	['an admin', admin, [true, true, true, true]],
])(
	'%s reports, judges, reads the log, reads what is not published as the product says',
	(_who, viewer, [report, judge, log, see]) => {
		expect(mayReport(viewer, { authorId: 9 })).toBe(report)
		expect(mayModerate(viewer)).toBe(judge)
		expect(mayReadLog(viewer)).toBe(log)
		expect(maySeeUnpublished(viewer, { authorId: 9 })).toBe(see)
	},
)

test.each<[string, Viewer, boolean[]]>([
	['a visitor', null, [false, false, false]],
	['a member', someone(7, 'member'), [false, false, false]],
	['a moderator', someone(7, 'moderator'), [true, false, false]],
	['an admin', someone(7, 'admin'), [true, true, false]],
])('%s suspends members, moderators, admins: as the product says', (_who, viewer, expected) => {
	expect([member, moderator, admin].map((victim) => maySuspend(viewer, victim))).toEqual(expected)
	const mayAppoint = viewer?.role === 'admin'
	expect([member, moderator, admin].map((victim) => maySetRole(viewer, victim))).toEqual([
		mayAppoint,
		mayAppoint,
		false,
	])
	expect([member, moderator, admin].map((someone) => mayLogOut(viewer, someone))).toEqual(Array(3).fill(mayAppoint))
	expect(viewer && mayLogOut(viewer, viewer)).toBe(viewer && false)
})

test.each([
	[0, 5],
	[23.9, 5],
	[24, 10],
	[719, 10],
	[720, 300],
	[1e6, 300],
])('an account that is %d hours old asks %d questions in an hour', (hours, questions) => {
	expect(postingLimitAt(hours).questions).toBe(questions)
})
