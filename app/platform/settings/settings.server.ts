import { config, hasSeveralProcesses, isSetInEnvironment } from '~/config.server.ts'
import { LatestRead } from '~/lib/latest-read.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { ALL_PAGES, invalidatePagesHere } from '~/platform/cache/pages.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import { fieldText } from '~/platform/http/form.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import type { Setting, SettingSection, SettingValues } from './setting.ts'
import { readStoredSections, type StoredSection } from './settings.queries.server.ts'

/*
 * The values that admins have set, in the memory of each process. Reading costs no statement. A process that saves notifies the others
 * over the bus; missed changes are found by polling the database every few seconds.
 */

/** The channel on which processes announce changed settings. */
const channel = 'devquad_settings'

/** Milliseconds between two polls of the database. They find changes that were never announced, as the saving process died. */
const REREAD_MS = 10_000

interface Known {
	stored: ReadonlyMap<string, StoredSection>
	reads: LatestRead
}

const known = remember<Known>('site-settings', () => ({ stored: new Map(), reads: new LatestRead() }))

/** Parsed values by section, until other values are stored. */
const worked = new WeakMap<Known['stored'], Map<string, unknown>>()

/** The current values of a section: from the environment, else as an admin saved them, else the defaults. */
export function siteSettings<Settings extends Record<string, Setting>>(
	section: SettingSection<Settings>,
): Readonly<SettingValues<Settings>> {
	const { stored } = known
	const bySection = worked.get(stored) ?? new Map<string, unknown>()
	worked.set(stored, bySection)
	const before = bySection.get(section.name)
	if (before) return before as SettingValues<Settings>
	const values = valuesOf(section, stored.get(section.name)?.texts ?? {})
	bySection.set(section.name, values)
	return values
}

const listeners = new Set<() => void>()

/** Calls a function now, and whenever this process has read changed settings, before pages are rendered with them. */
export function onSettings(listener: () => void): void {
	listeners.add(listener)
	listener()
}

/** Whether this process has read the saved settings; until then everything has its default. */
export function areSettingsRead(): boolean {
	return known.reads.hasEnded
}

/**
 * Whether a secret was saved that cannot be decrypted, as after `AUTH_SECRET` has changed. It counts as not saved, so work that must not be
 * done without it has to ask. @param name of the setting
 */
export function isSecretLost(section: SettingSection, name: string): boolean {
	const stored = known.stored.get(section.name)?.texts[name]
	const { environment } = section.settings[name] ?? {}
	if (stored === undefined || (environment && isSetInEnvironment(environment))) return false
	return decryptSecret(secretPurpose(section, name), stored) === null
}

/** Parses stored texts. A text that its setting no longer accepts, or that cannot be decrypted, counts as not saved. */
export function valuesOf<Settings extends Record<string, Setting>>(
	section: SettingSection<Settings>,
	texts: Readonly<Record<string, string>>,
): SettingValues<Settings> {
	const values = Object.entries(section.settings).map(([name, setting]) => [
		name,
		readValue(setting, texts[name], secretPurpose(section, name)),
	])
	return Object.fromEntries(values)
}

function readValue(setting: Setting, stored: string | undefined, purpose: string): unknown {
	const { environment, input, schema } = setting
	if (environment && isSetInEnvironment(environment)) return config()[environment]
	if (stored === undefined) return setting.default
	const text = input === 'secret' ? decryptSecret(purpose, stored) : stored
	const parsed = text === null ? null : schema.safeParse(text)
	if (parsed?.success) return parsed.data
	log.error({ setting: purpose }, 'a saved setting cannot be read and counts as not saved; save it again')
	return setting.default
}

/** The text of a setting's field where nothing was saved. */
export function defaultText({ default: value }: Setting): string {
	return fieldText(value)
}

/** The purpose that the secrets of a setting are encrypted for. */
export function secretPurpose({ name }: Pick<SettingSection, 'name'>, setting: string): string {
	return `site_settings ${name} ${setting}`
}

/**
 * Reads the settings, and listens for changes by other processes.
 * @returns stops listening
 * @throws Error when the bus or the database cannot be reached
 */
export async function listenForSettings(): Promise<() => Promise<void>> {
	const reread = () => void rereadSettings().catch((error) => log.debug({ err: error }, 'settings could not be read'))
	// After a reconnection something may have been missed, so settings are read again.
	const stop = hasSeveralProcesses()
		? await openBus(channel, { onMessage: reread, onLost: () => {}, onBack: reread })
		: async () => {}
	const obey = (done: (isRead: boolean) => void) =>
		void rereadSettings().then(
			() => done(true),
			() => done(false),
		)
	io.on('settings saved', obey)
	await rereadSettings()
	const timer = setInterval(reread, REREAD_MS).unref()
	return async () => {
		clearInterval(timer)
		io.off('settings saved', obey)
		await stop()
	}
}

/**
 * Makes all processes read the settings again, and waits for them, at most 5 s. Call it after the commit. It never throws: a
 * process that missed the announcement finds out within seconds.
 */
export async function announceSettings(): Promise<void> {
	try {
		await rereadSettings()
		if (!hasSeveralProcesses()) return
		await publish(channel, '')
		const read = await io.serverSideEmitWithAck('settings saved')
		if (read.includes(false)) log.warn('another process could not read changed settings')
	} catch (error) {
		log.warn({ err: error }, 'changed settings could not be announced')
	}
}

/** Reads the saved settings, and invalidates cached pages that were rendered with other settings. */
export function rereadSettings(): Promise<void> {
	return known.reads.run(readStoredSections, (rows) => {
		const stored = new Map(rows.map((row) => [row.section, row]))
		const isSame =
			stored.size === known.stored.size &&
			[...stored].every(([name, { version }]) => known.stored.get(name)?.version === version)
		if (isSame) return
		known.stored = stored
		for (const listener of listeners) listener()
		invalidatePagesHere([ALL_PAGES])
	})
}
