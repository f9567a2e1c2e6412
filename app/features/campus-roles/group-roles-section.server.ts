import { Invalid } from '~/lib/errors.ts'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/** A role that groups give. */
export type GroupRole = 'moderator' | 'admin'

/** A group in the settings. */
export interface Group {
	name: string
	role: GroupRole
}

const groups = (label: string, hint: string) => textSetting({ label, hint, isLong: true, maxLength: 5_000 })

/** Which groups of the university give a role. */
export const groupRolesSection = settingSection({
	name: 'group-roles',
	title: 'Roles by group',
	about:
		'Who is in certain groups at the university becomes moderator or admin with their next login by OpenID Connect, LDAP or SAML. Roles that admins give or take by hand stay.',
	isSensitive: true,
	settings: {
		claim: textSetting({
			label: 'Claim or attribute with the groups',
			hint: 'Such as groups, or memberOf of a directory. If this is empty, groups give no roles, and roles that they gave stay.',
		}),
		moderatorGroups: groups(
			'Groups of moderators',
			'One in each line, exactly as the login service sends it: a DN as a whole. Only groups that nobody can join by themselves.',
		),
		adminGroups: groups('Groups of admins', 'They may do everything here, also change these settings.'),
	},
	async check({ claim, moderatorGroups, adminGroups }) {
		const [moderators, admins] = [linesOf(moderatorGroups), linesOf(adminGroups)]
		if (claim === '' && moderators.length + admins.length > 0)
			throw refusal('claim', 'Enter the claim or attribute that names the groups.')
		const both = admins.find((name) => moderators.includes(name))
		if (both !== undefined) throw refusal('adminGroups', `“${both}” is among the groups of moderators, too.`)
	},
})

function refusal(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}

/** The claim to request. */
export function wantedClaim(): string[] {
	const { claim } = siteSettings(groupRolesSection)
	return claim === '' ? [] : [claim]
}

/** The groups in the settings, those of admins first. */
export function configuredGroups(): Group[] {
	const { moderatorGroups, adminGroups } = siteSettings(groupRolesSection)
	const of = (text: string, role: GroupRole) => linesOf(text).map((name) => ({ name, role }))
	return [...of(adminGroups, 'admin'), ...of(moderatorGroups, 'moderator')]
}

function linesOf(text: string): string[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter(Boolean)
}
