import { z } from 'zod'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import {
	type ActInput,
	type ActResult,
	caseChangedError,
	type ModeratedSubject,
	type SubjectType,
} from '~/features/moderation/subjects.server.ts'
import { profilePath } from '~/lib/addresses.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type HideableRow, listHideable } from './hiding.queries.server.ts'
import { hideProfile, listProfileParts, lockHideable, removeProfilePart, showProfile } from './hiding.server.ts'

/* Profiles as subjects of moderation: their state, and the actions on them. */

function subjectOf(row: HideableRow): ModeratedSubject {
	const { id, username, name, created_at, hidden, hidden_reason, imported } = row
	return {
		type: MEMBER_SUBJECT,
		id,
		title: name,
		url: profilePath(username),
		html: '',
		excerpt: '',
		fingerprint: '',
		createdAt: created_at,
		authorId: id,
		state: hidden ? 'hidden' : 'visible',
		reason: hidden_reason,
		locked: false,
		// The texts of such an account can be reported, each by itself.
		reportable: !imported,
		acts: imported ? [] : [hidden ? 'restore' : 'hide', 'clean'],
	}
}

interface Work {
	/** The name of the removed part; '' for the whole profile. */
	label: string
	/** Of several decisions about the same thing, only the last one is notified. */
	about: string
	/** @returns false if the state has changed since the moderator saw it */
	run: () => Promise<boolean>
}

async function perform(
	trx: Executor,
	{ author }: ActInput<ModeratedSubject>,
	{ label, about, run }: Work,
): Promise<ActResult> {
	await lockHideable(trx, author.id)
	if (!(await run())) throw caseChangedError()
	return {
		note: label,
		notification: {
			subject: { type: MEMBER_SUBJECT, id: author.id, title: label, url: profilePath(author.username) },
			part: null,
			group: about,
		},
		// Picture and name are shown with everything that the member wrote.
		announce: () => invalidatePages([ALL_PAGES]),
	}
}

/** The part of the profile to remove. */
const cleanInput = z.object({
	part: z.string({ error: 'Choose what to remove.' }).regex(/^[a-z]+(:[0-9a-f-]{36})?$/, 'Choose what to remove.'),
})

export const profileSubject: SubjectType = {
	name: MEMBER_SUBJECT,
	label: 'Profile',
	prefix: '',
	load: async (ids) => (await listHideable(ids)).map(subjectOf),
	describe: ({ title }) => `the profile of ${title}`,
	listParts: ({ username }) => listProfileParts(username),
	acts: {
		hide: {
			done: 'Hidden. Its owner sees your reason.',
			decision: 'hide profile',
			perform: (trx, call) =>
				perform(trx, call, { label: '', about: 'profile', run: () => hideProfile(trx, call.author.id, call.why) }),
		},
		restore: {
			done: 'Everybody can see it again.',
			decision: 'restore profile',
			perform: (trx, call) =>
				perform(trx, call, { label: '', about: 'profile', run: () => showProfile(trx, call.author.id) }),
		},
		clean: {
			done: 'Removed. Its owner sees your reason.',
			decision: 'clean profile',
			input: cleanInput,
			field: {
				title: 'Remove a part',
				name: 'part',
				label: 'What to remove',
				shortLabel: 'What to remove',
				hint: 'This cannot be undone. To decide later, hide the profile instead.',
				choosesPart: true,
			},
			async perform(trx, call) {
				const { value, label, beginning } = call.part ?? { value: '', label: '', beginning: '' }
				return perform(trx, call, {
					// An item is identified by its title; the beginning of a text would repeat the removed words in the log.
					label: value.includes(':') ? `${label} “${beginning}”` : label,
					about: `profile:${value}`,
					run: () => removeProfilePart(trx, call.author.id, value),
				})
			},
		},
	},
}
