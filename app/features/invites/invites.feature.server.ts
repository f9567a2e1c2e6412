import { defineFeature } from '~/platform/feature.ts'
import { mergeInvites, writeInvitationOfAddress } from './joining/invites.queries.server.ts'
import { deleteInvitedAddresses, deleteOldAddresses } from './lists/lists.queries.server.ts'
import { mailLists } from './lists/lists.server.ts'

/** Invitations to register: links, and lists of addresses. */
export const invites = defineFeature({
	name: 'invites',
	schedules: [{ name: 'mail-invited', every: 'minute', run: () => mailLists() }],
	leaving: [
		async (leaver) => {
			await deleteInvitedAddresses(leaver)
			return false
		},
	],
	merging: [mergeInvites],
	identityUse: {
		wants: () => [],
		used: async ({ userId, isLogin }) => {
			if (isLogin) await writeInvitationOfAddress(userId)
		},
	},
	retention: [
		{
			key: 'invited-addresses',
			label: 'Addresses that were invited and have not registered',
			hint: 'Counted from when the invitation ended.',
			days: { default: 30, min: 1, max: 365 },
			remove: deleteOldAddresses,
		},
	],
	pictureForms: [
		{ path: /^\/admin\/invitations\/list(\.data)?$/, tooLarge: 'The file is too large. The limit is 5 MB.' },
	],
	memberData: {
		invites: {
			members: { created_by: 'kept' },
			merge: { created_by: 'moves' },
			called: 'Links to invite people',
			archive: ['cohort', 'max_uses', 'expires_at', 'created_at', 'revoked_at'],
			withheld: { token_hash: 'a secret' },
			mentions: { cohort: 60 },
		},
		invite_lists: {
			members: { created_by: 'kept' },
			merge: { created_by: 'moves' },
			archive: 'addresses of other people',
			mentions: { cohort: 60 },
		},
		invited_addresses:
			'addresses that were invited, until some time after the invitation ended, and of who came by one',
	},
})
