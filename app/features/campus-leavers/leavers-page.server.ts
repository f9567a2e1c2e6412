import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { ldapIssuer } from '~/features/campus-login/ldap.server.ts'
import { ldapSection } from '~/features/campus-login/ldap-section.server.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import type { LeaversPage } from './campus-leavers.view.ts'
import { missingAt } from './directory-check.server.ts'
import { findLastCheck, listLeavers, listNamed } from './leavers.queries.server.ts'
import { presentLeaver } from './lists.server.ts'
import { leaversSection } from './section.server.ts'

/** Members that the page lists, and those of whom a held check names some. */
const MAX_SHOWN = 50
const SAMPLE = 20

/** The last check of the directory, and who has left. @throws NotAllowed */
export async function getLeavers(viewer: Viewer): Promise<LeaversPage> {
	requireAdmin(viewer)
	const directory = siteSettings(ldapSection)
	const { after, days } = siteSettings(leaversSection)
	const [check, leavers] = await Promise.all([findLastCheck(), listLeavers(MAX_SHOWN)])
	const missing = check ? await missingAt(ldapIssuer(directory), check.at) : { members: [], staff: [] }
	const named = async (people: { user_id: number }[]) =>
		(await listNamed(people.map(({ user_id }) => user_id))).map(presentLeaver)
	const sample = check?.state === 'held' ? await named(missing.members.slice(0, SAMPLE)) : []
	return {
		hasDirectory: directory.isOn,
		check: check ? { ...check, at: check.at.toISOString(), sample } : null,
		staff: directory.isOn ? await named(missing.staff.slice(0, MAX_SHOWN)) : [],
		leavers: leavers.map((one) => ({ ...presentLeaver(one), leftAt: one.left_campus_at.toISOString() })),
		rule:
			after === 'keep'
				? 'Their accounts stay.'
				: `Their accounts are deleted if they do not log in for ${days} days, after an email 14 days before.${allowsPasswords() ? '' : ' Without a confirmed address outside the university they could not log in, so such accounts stay.'}`,
	}
}
