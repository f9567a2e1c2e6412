import { z } from 'zod'
import { siteDay } from '~/lib/calendar.ts'
import { dateStyle, inSiteZone } from '~/lib/dates.ts'
import { choiceSetting, settingSection, textSetting } from './setting.ts'
import { onSettings, siteSettings } from './settings.server.ts'

/* Date and time formats, and the time zone of the site's days. The language is always English. */

/** The machine's time zone, used until an admin chooses another. */
const machineZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Whether this is an IANA time zone. */
function isZone(name: string): boolean {
	try {
		Intl.DateTimeFormat('en', { timeZone: name })
		return /^[A-Z]/.test(name)
	} catch {
		return false
	}
}

export const regionSection = settingSection({
	name: 'region',
	title: 'Region and time zone',
	about: 'How dates, times and numbers are written, and when days begin. The words of the site are English.',
	loadsAnew: true,
	settings: {
		locale: choiceSetting({
			label: 'Dates, times and numbers',
			default: 'en',
			choices: [
				{ value: 'en', label: 'International: 12 Nov 2026, 6:41 pm' },
				{ value: 'en-GB', label: 'United Kingdom: 12 Nov 2026, 18:41' },
				{ value: 'en-IE', label: 'Ireland: 12 Nov 2026, 18:41' },
				{ value: 'en-ZA', label: 'South Africa: 12 Nov 2026, 18:41' },
				{ value: 'en-US', label: 'United States: Nov 12, 2026, 6:41 pm' },
				{ value: 'en-CA', label: 'Canada: Nov 12, 2026, 6:41 pm' },
				{ value: 'en-AU', label: 'Australia: 12 Nov 2026, 6:41 pm' },
				{ value: 'en-NZ', label: 'New Zealand: 12 Nov 2026, 6:41 pm' },
				{ value: 'en-IN', label: 'India: 12 Nov 2026, 6:41 pm, and 1,00,000' },
			],
		}),
		zone: textSetting({
			label: 'Time zone',
			hint: `Such as Europe/Berlin. If empty: that of the server, ${machineZone}. Where scripts run, readers see times by their own clock.`,
			maxLength: 60,
			suggestions: () => ['UTC', ...Intl.supportedValuesOf('timeZone')],
			schema: z
				.string()
				.refine((name) => name === '' || isZone(name), 'Choose a time zone of the list, such as Europe/Berlin.'),
		}),
	},
})

/** Configures the formatting of dates. */
function setDateStyle(): void {
	const { locale, zone } = siteSettings(regionSection)
	const named = zone || machineZone
	dateStyle.locale = locale
	dateStyle.zone = /^(Etc\/)?(UTC|UCT|Zulu|GMT|Universal)$/.test(named) ? undefined : named
}

onSettings(setDateStyle)

const DAY_MS = 86_400_000

/** The moment at which a day, or an hour of it, begins in the site's time zone. @param day `YYYY-MM-DD` */
export function momentOf(day: string, hour = 0): Date {
	const target = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000
	// The offset depends on the moment, which is not known yet: the second iteration is right. Where clocks skip the hour, the iterations
	// alternate between its end and the hour before it.
	const better = (moment: number) => target - (inSiteZone(moment).getTime() - moment)
	const moment = better(better(target))
	return new Date(Math.max(moment, better(moment)))
}

/** The day before, or `days` before. @param day `YYYY-MM-DD` */
export function daysBefore(day: string, days: number): string {
	return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
}

/** The Monday of a moment's week in the site's time zone, `YYYY-MM-DD`. */
export function mondayOf(now = Date.now()): string {
	const day = siteDay(now)
	return daysBefore(day, (new Date(day).getUTCDay() + 6) % 7)
}
