import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { Feature } from '~/platform/feature.ts'
import { platformRetention } from '~/platform/jobs/jobs.server.ts'
import type { RetentionRule } from '~/platform/member-data.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { numberSetting, type Setting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/* How long personal data is stored. Features declare rules; the settings, the nightly job and the privacy page are derived from them. */

/** Rows per statement, so that locks are short. */
const AT_ONCE = 1_000
/** Milliseconds per rule and night; the next night continues. */
const MAX_MS = 10 * 60_000

const registry = remember('retention', () => ({ rules: [] as readonly RetentionRule[] }))

const countRemoved = counter(
	'devquad_retention_removed_total',
	'Data about members that was deleted because its time was over, by kind.',
	['rule'],
)

/** Filled by {@link registerRetention}: a number of days for each rule. */
export const retentionSection = settingSection<Record<string, Setting<number>>>({
	name: 'retention',
	title: 'How long data is stored',
	about: 'In days. Whatever is older is deleted every night. The privacy page shows these numbers.',
	settings: {},
})

/** Registers the rules of all features. @throws Error if two have the same key */
export function registerRetention(features: readonly Feature[]): void {
	const rules = [...features.flatMap(({ retention = [] }) => retention), ...platformRetention]
	if (new Set(rules.map(({ key }) => key)).size < rules.length)
		throw new Error('Two rules of retention have the same key.')
	registry.rules = rules
	for (const { key, label, hint, days } of rules)
		retentionSection.settings[key] = numberSetting({ label, hint, ...days })
}

/** The rules with their present number of days. */
export function listRetention(): { key: string; label: string; days: number }[] {
	const days = siteSettings(retentionSection)
	return registry.rules.map(({ key, label, days: { default: usual } }) => ({ key, label, days: days[key] ?? usual }))
}

/** For how many days the data of a rule is stored at present. @throws Error for an unknown rule */
export function retentionDays(key: string): number {
	const rule = listRetention().find((one) => one.key === key)
	if (!rule) throw new Error(`There is no rule of retention ${key}.`)
	return rule.days
}

/**
 * Deletes expired data; runs every night. Each batch commits on its own, so that the process may stop at any point. A failing rule does not
 * stop the others.
 * @returns the number of deleted items by rule
 * @throws Error if a rule failed, so that the job is retried
 */
export async function applyRetention(): Promise<Record<string, number>> {
	const settings = siteSettings(retentionSection)
	const removed: Record<string, number> = {}
	const failed: string[] = []
	for (const rule of registry.rules) {
		try {
			removed[rule.key] = await applyRule(rule, settings[rule.key] ?? rule.days.default)
		} catch (error) {
			failed.push(rule.key)
			log.error({ err: error, rule: rule.key }, 'expired data could not be removed')
		}
	}
	log.info({ removed }, 'expired data was removed')
	if (failed.length > 0) throw new Error(`These rules of retention failed: ${failed.join(', ')}.`)
	return removed
}

async function applyRule({ key, remove }: RetentionRule, days: number): Promise<number> {
	const end = Date.now() + MAX_MS
	let all = 0
	for (let found = AT_ONCE; found >= AT_ONCE && Date.now() < end; all += found) {
		found = await remove(days, AT_ONCE)
		countRemoved({ rule: key }, found)
	}
	return all
}
