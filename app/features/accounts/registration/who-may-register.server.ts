import { NotAllowed } from '~/lib/errors.ts'
import { boxSetting, choiceSetting, listSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { requirePasswords } from '../ways-in.server.ts'

/** Who may register, as admins set it. */
export const registrationSection = settingSection({
	name: 'registration',
	title: 'Who may register',
	about: 'Everybody, people with an address of some domains, who is invited, or nobody.',
	settings: {
		mode: choiceSetting({
			label: 'Who may register',
			hint: 'Invitations are made at Administration, Invitations. They work unless nobody may register.',
			default: 'open',
			choices: [
				{ value: 'open', label: 'Everybody; where domains are named below, whoever has an address there' },
				{ value: 'invited', label: 'Only who is invited' },
				{ value: 'closed', label: 'Nobody' },
			],
		}),
		domains: listSetting({
			label: 'Domains of addresses',
			hint: 'Such as eastmere.example, with commas between them. Addresses below a domain count too. Empty for any.',
			environment: 'ALLOWED_EMAIL_DOMAINS',
		}),
		doModeratorsInvite: boxSetting({ label: 'Moderators may make links to invite people, too' }),
	},
})

/** Who may register now. */
export function whoMayRegister() {
	return siteSettings(registrationSection)
}

/** What is said where nobody registers without an invitation, or nobody at all; null where people do. */
export function registrationNotice(): string | null {
	const { mode } = whoMayRegister()
	if (mode === 'closed') return 'Nobody can register here at the moment.'
	return mode === 'invited' ? 'You need an invitation to register here. Open the link in it.' : null
}

/** Insists that invitations work. @throws NotAllowed where nobody may register, or nobody by a password */
export function requireInvitations(): void {
	requirePasswords()
	const notice = registrationNotice()
	if (notice && whoMayRegister().mode === 'closed') throw new NotAllowed(notice)
}
