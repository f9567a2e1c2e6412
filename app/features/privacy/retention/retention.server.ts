import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { Feature } from '~/platform/feature.ts'
import { platformRetention } from '~/platform/jobs/jobs.server.ts'
import type { RetentionRule } from '~/platform/member-data.ts'
import { counter } from '~/platform/metrics/metrics.server.ts'
import { numberSetting, type Setting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/*
 * For how long what is about members is stored. Features declare it; one section of the settings, one nightly job and the privacy page are
 * made of what they declare.
 */

/** Rows of one statement, so that nobody waits long for it. */
const AT_ONCE = 1_000
/** Milliseconds that one rule takes of a night at most; the next night goes on. */
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

/** Takes the rules of all features. @throws Error when two have the same key */
export function registerRetention(features: readonly Feature[]): void {
	const rules = [...features.flatMap(({ retention = [] }) => retention), ...platformRetention]
	if (new Set(rules.map(({ key }) => key)).size < rules.length)
		throw new Error('Two rules of retention have the same key.')
	registry.rules = rules
	for (const { key, label, hint, days } of rules)
		retentionSection.settings[key] = numberSetting({ label, hint, ...days })
}

/** What is stored for a time, and for how many days now. */
export function listRetention(): { key: string; label: string; days: number }[] {
	const days = siteSettings(retentionSection)
	return registry.rules.map(({ key, label, days: { default: usual } }) => ({ key, label, days: days[key] ?? usual }))
}

/**
 * Removes whatever has been stored for long enough; called every night. Each batch is committed by itself, so that the process may be
 * stopped at any moment. A rule that fails does not keep the others from their work.
 * @returns how much went, by rule
 * @throws Error when a rule failed, so that the job is tried again
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
			log.error({ err: error, rule: rule.key }, 'what has been stored for long enough could not be removed')
		}
	}
	log.info({ removed }, 'removed what has been stored for long enough')
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
