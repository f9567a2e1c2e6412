import { createHash } from 'node:crypto'
import { z } from 'zod'
import { siteDay } from '~/lib/calendar.ts'
import { Invalid } from '~/lib/errors.ts'
import type { AnnouncementView } from '~/lib/root-data.ts'
import { isModerator, type Viewer } from '~/lib/viewer.ts'
import { readCookie, setCookieHeader } from '~/platform/http/cookies.ts'
import {
	checkboxSetting,
	choiceSetting,
	dateSetting,
	settingSection,
	textSetting,
} from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/** Seconds that a browser remembers a closed announcement. */
const CLOSED_FOR_S = 31_536_000

const address = z.union(
	[z.url({ protocol: /^https?$/ }), z.string().regex(/^\/(?![/\\])/), z.literal('')],
	'Enter an address that begins with https://, or one of this site that begins with /.',
)

/** A line above every page, for maintenance, events or the start of a term. */
export const announcementSection = settingSection({
	name: 'announcement',
	title: 'Announcement',
	about: 'A notice at the top of every page, for as long as you want.',
	settings: {
		text: textSetting({ label: 'Text', hint: 'Leave it empty for no announcement.', maxLength: 300 }),
		url: textSetting({
			label: 'Link',
			hint: 'Where to read more: an address that begins with https://, or one of this site such as /forum/ask.',
			maxLength: 500,
			schema: address,
		}),
		linkText: textSetting({ label: 'Words of the link', default: 'Read more', maxLength: 60 }),
		audience: choiceSetting({
			label: 'Who sees it',
			default: 'everyone',
			choices: [
				{ value: 'everyone', label: 'Everybody' },
				{ value: 'visitors', label: 'Visitors who are not logged in' },
				{ value: 'members', label: 'Members' },
				{ value: 'staff', label: 'Moderators and admins' },
			],
		}),
		from: dateSetting({ label: 'First day', hint: 'If empty: from now on.' }),
		until: dateSetting({ label: 'Last day', hint: 'If empty: until you remove it.' }),
		canClose: checkboxSetting({
			label: 'Members can close it',
			hint: 'It does not come back in their browser until its text or link changes.',
			default: true,
		}),
	},
	async check({ from, until, linkText, url }) {
		if (from && until && until < from)
			throw new Invalid('The last day is before the first.', { until: 'Choose the first day or a later day.' })
		if (url && !linkText) throw new Invalid('The link needs words.', { linkText: 'Enter the text of the link.' })
	},
})

/**
 * The present announcement.
 * @param cookies the Cookie header, with the announcement that the member closed
 * @param now milliseconds since 1970; days are those of the site's time zone
 * @returns null without an announcement for this viewer
 */
export function announcementFor(viewer: Viewer, cookies: string | null, now = Date.now()): AnnouncementView | null {
	const { text, url, linkText, audience, from, until, canClose } = siteSettings(announcementSection)
	if (!text) return null
	const today = siteDay(now)
	if ((from && today < from) || (until && today > until)) return null
	const isMeant = {
		everyone: true,
		visitors: viewer === null,
		members: viewer !== null,
		staff: isModerator(viewer),
	}[audience]
	if (!isMeant) return null
	const id = createHash('sha256').update(`${text}\n${url}`).digest('base64url').slice(0, 12)
	// Visitors share cached pages, so they cannot close it.
	const isClosable = canClose && viewer !== null
	if (isClosable && readCookie(cookies, 'announcement') === id) return null
	return { id, text, link: url ? { url, text: linkText } : null, isClosable }
}

/** The Set-Cookie header that marks an announcement as closed. @param id from its form */
export function closedAnnouncementCookie(id: unknown): string | null {
	return /^[\w-]{12}$/.test(String(id)) ? setCookieHeader('announcement', String(id), CLOSED_FOR_S) : null
}
