import { Conflict, Invalid } from '~/lib/errors.ts'
import { checkboxSetting, listSetting, numberSetting } from '~/platform/settings/setting.ts'

/* Settings that OpenID Connect, LDAP and SAML have in common. */

/** Line ends, and commas in lines without an equals sign: those of a DN, as in `cn=staff,ou=groups`, belong to it. */
const betweenRoles = /\n|(?<!=.*),(?!.*=)/

/** The roles of students and staff. */
export const roleSettings = {
	studentRoles: listSetting({
		label: 'Roles of students',
		hint: 'Separated by commas. DNs, such as the values of memberOf, go in a line each.',
		default: ['student'],
		isLong: true,
		separator: betweenRoles,
	}),
	staffRoles: listSetting({
		label: 'Roles of staff',
		default: ['staff', 'faculty', 'employee'],
		isLong: true,
		separator: betweenRoles,
	}),
}

/** Whether a first login creates an account. @param login what members can link otherwise */
export function createsAccountsSetting(login: string) {
	return checkboxSetting({
		label: 'New people get an account',
		hint: `With their first login. Otherwise only who links ${login} in their settings can use it.`,
		default: true,
	})
}

/** Whether addresses need no confirmation. @param reason why */
export function trustsEmailSetting(reason: string) {
	return checkboxSetting({
		label: 'Its email addresses are confirmed',
		hint: `The university hands out the addresses, ${reason}`,
		default: true,
	})
}

/** Whether and how often sessions are checked. @param question how the provider is asked */
export function sessionCheckSettings(question: string) {
	return {
		endsSessions: checkboxSetting({
			label: 'End sessions of people who have left',
			hint: `While a member is here, ${question} Their access tokens stop working, too, until they log in again.`,
			default: true,
		}),
		minutes: numberSetting({ label: 'Ask again after, in minutes', default: 15, min: 1, max: 1_440 }),
	}
}

/** Whether other logins are disabled. @param passwords which passwords @param login that an admin must have used before */
export function onlyLoginSetting(passwords: string, login: string) {
	return checkboxSetting({
		label: 'It is the only way in',
		hint: `Nobody logs in or registers with ${passwords} any more, so ask members to link ${login} in their settings first. Whoever has not can have a link mailed at their first login, if the same address is confirmed there. An admin has to have logged in by ${login} before.`,
		environment: 'CAMPUS_LOGIN_ONLY',
	})
}

/** Why a login cannot become the only one yet. @param login as in a sentence, such as “LDAP” */
export function noAdminError(login: string): Conflict {
	return new Conflict(
		`No admin has logged in by ${login} yet, so this would lock you out. Link it in your settings, log out, log in by it, and save this again.`,
	)
}

/** An error at a field of a section. */
export function fieldError(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}
