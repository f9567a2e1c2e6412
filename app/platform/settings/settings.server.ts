import { config, isGiven, isOneOfSeveral } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { dropPagesHere, everyPage } from '~/platform/cache/pages.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import { fieldText } from '~/platform/http/form.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import type { Setting, SettingSection, SettingValues } from './setting.ts'
import { readStoredSections, type StoredSection } from './settings.queries.server.ts'

/*
 * What admins have set, in the memory of each process. Reading costs no statement. Whoever saves tells the others over the bus;
 * what was missed is found by a look at the database every few seconds.
 */

/** The channel on which processes tell each other that settings changed. */
const channel = 'devquad_settings'

/** Milliseconds between two looks at the database. They find what was never announced, as the process that saved died. */
const REREAD_MS = 10_000

interface Known {
	stored: ReadonlyMap<string, StoredSection>
	/** Counts the reads, so that of two at once the one that began last decides. */
	reads: number
	/** The last read that was taken in. */
	taken: number
}

const known = remember<Known>('site-settings', () => ({ stored: new Map(), reads: 0, taken: 0 }))

/** Values by section that were worked out of what is stored, until something else is. */
const worked = new WeakMap<Known['stored'], Map<string, unknown>>()

/** What the settings of a section say now: by the environment, else as an admin saved them, else by default. */
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

/** Has a function called now, and whenever this process has learnt of other settings, before pages are made with them. */
export function onSettings(listener: () => void): void {
	listeners.add(listener)
	listener()
}

/** Whether this process has read what admins have saved; until then everything has its default. */
export function areSettingsRead(): boolean {
	return known.taken > 0
}

/** What stored texts mean. One that its setting does not take any more, or that cannot be decrypted, counts as not saved. */
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
	if (environment && isGiven(environment)) return config()[environment]
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

/** What the secret of a setting is encrypted for. */
export function secretPurpose({ name }: Pick<SettingSection, 'name'>, setting: string): string {
	return `site_settings ${name} ${setting}`
}

/**
 * Reads the settings, and listens to other processes that save some.
 * @returns what stops it
 * @throws Error when the bus or the database cannot be reached
 */
export async function listenForSettings(): Promise<() => Promise<void>> {
	const reread = () => void rereadSettings().catch((error) => log.debug({ err: error }, 'settings could not be read'))
	// Whoever is back may have missed something, and so it reads.
	const stop = isOneOfSeveral()
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
 * Has this process and all others read the settings again, and waits for them, at most 5 s; to be called after the commit. It never throws: who
 * was not told finds out within seconds.
 */
export async function announceSettings(): Promise<void> {
	try {
		await rereadSettings()
		if (!isOneOfSeveral()) return
		await publish(channel, '')
		const read = await io.serverSideEmitWithAck('settings saved')
		if (read.includes(false)) log.warn('another process could not read changed settings')
	} catch (error) {
		log.warn({ err: error }, 'changed settings could not be announced')
	}
}

/** Reads what is saved. Pages for visitors that were made with other settings are dropped. */
export async function rereadSettings(): Promise<void> {
	known.reads += 1
	const read = known.reads
	const stored = new Map((await readStoredSections()).map((row) => [row.section, row]))
	if (read < known.taken) return
	known.taken = read
	const isSame =
		stored.size === known.stored.size &&
		[...stored].every(([name, { version }]) => known.stored.get(name)?.version === version)
	if (isSame) return
	known.stored = stored
	for (const listener of listeners) listener()
	dropPagesHere([everyPage])
}
