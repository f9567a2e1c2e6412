import { Conflict, Invalid } from '~/lib/errors.ts'
import { boxSetting, listSetting, numberSetting } from '~/platform/settings/setting.ts'

/* What the settings of every login of a university have in common: OpenID Connect, LDAP and SAML. */

/** What the login says of the people who study and of those who work there. */
export const roleSettings = {
	studentRoles: listSetting({ label: 'Roles of students', hint: 'Separated by commas.', default: ['student'] }),
	staffRoles: listSetting({ label: 'Roles of staff', default: ['staff', 'faculty', 'employee'] }),
}

/** Whether the first login of somebody makes an account. @param login what members link in their settings otherwise */
export function registersSetting(login: string) {
	return boxSetting({
		label: 'New people get an account',
		hint: `With their first login. Otherwise only who links ${login} in their settings can use it.`,
		default: true,
	})
}

/** Whether the addresses that the login tells need no confirmation. @param reason why that may be so */
export function trustsEmailSetting(reason: string) {
	return boxSetting({
		label: 'Its e-mail addresses are confirmed',
		hint: `The university hands out the addresses, ${reason}`,
		default: true,
	})
}

/** Whether sessions end with the membership of the university, and how often that is asked. @param question what is asked of whom */
export function endingSettings(question: string) {
	return {
		endsSessions: boxSetting({
			label: 'End sessions of people who have left',
			hint: `While a member is here, ${question}`,
			default: true,
		}),
		minutes: numberSetting({ label: 'Ask again after, in minutes', default: 15, min: 1, max: 1_440 }),
	}
}

/** Whether passwords are closed. @param passwords which ones @param login by what an admin has to have come before */
export function onlyWaySetting(passwords: string, login: string) {
	return boxSetting({
		label: 'It is the only way in',
		hint: `Nobody logs in or registers with ${passwords} any more. An admin has to have logged in by ${login} before.`,
		environment: 'CAMPUS_LOGIN_ONLY',
	})
}

/** Why a login may not become the only way in yet. @param login as a sentence names it, such as “LDAP” */
export function noAdminYet(login: string): Conflict {
	return new Conflict(
		`No admin has logged in by ${login} yet, so this would lock you out. Link it in your settings, log out, log in by it, and save this again.`,
	)
}

/** What a section refuses, said at one of its fields. */
export function wrongField(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}
