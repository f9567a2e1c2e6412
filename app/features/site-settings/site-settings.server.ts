import { config, isSetInEnvironment } from '~/config.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { SETTING_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { pictureFromFile } from '~/features/pictures/pictures.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, Invalid, NotFound } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { previewAccent } from '~/platform/appearance/appearance.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { fieldText, type Input, requireSameAsStored, requireVersion } from '~/platform/http/form.server.ts'
import { FORMER_USERNAME, type LeavingStep } from '~/platform/member-data.ts'
import type { Setting, SettingSection } from '~/platform/settings/setting.ts'
import { announceSettings, defaultText, secretPurpose, valuesOf } from '~/platform/settings/settings.server.ts'
import {
	type ChangeRow,
	findChanges,
	findSection,
	listChangeRows,
	lockSection,
	renameInSettings,
	rewriteSection,
	type SavedTexts,
	type SettingChanges,
	type SettingTexts,
	writeSection,
} from './site-settings.queries.server.ts'
import {
	fieldOf,
	MAX_CHANGES_SHOWN,
	removalOf,
	type SectionLine,
	type SectionView,
	type SettingChangeView,
	type SettingView,
	textInWords,
} from './site-settings.view.ts'

/*
 * Editing the settings that features declare. A save, its history and its log entry are one transaction. All functions throw NotAllowed
 * unless the viewer is an admin who is not suspended, and NotFound for an unknown section.
 */

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Settings at /admin/settings: one form for each section. */
		settingSections?: readonly SettingSection[]
	}
}

const registry = remember('setting-sections', () => ({ sections: new Map<string, SettingSection>() }))

/** Registers the sections of all features. @throws Error if two have the same name */
export function registerSections(sections: readonly SettingSection[]): void {
	registry.sections = new Map(sections.map((section) => [section.name, section]))
	if (registry.sections.size < sections.length) throw new Error('Two sections of settings have the same name.')
}

/** All sections, in the order of the features. */
export function listSections(viewer: Viewer): SectionLine[] {
	requireAdmin(viewer)
	return [...registry.sections.values()].map(({ name, title, about }) => ({ name, title, about }))
}

/** Whether saving a section requires a confirmed identity. */
export function isSensitive(viewer: Viewer, name: string): boolean {
	requireAdmin(viewer)
	return requireSection(name).isSensitive === true
}

/** A section's form, and its last changes. @param typed values to show instead of the saved ones, such as a colour to preview */
export async function getSection(viewer: Viewer, name: string, typed = new URLSearchParams()): Promise<SectionView> {
	requireAdmin(viewer)
	const section = requireSection(name)
	const [row, changes] = await Promise.all([findSection(name), listChangeRows(name, MAX_CHANGES_SHOWN)])
	return {
		name,
		title: section.title,
		about: section.about,
		version: row.version,
		loadsAnew: section.loadsAnew === true,
		settings: Object.entries(section.settings).map(([setting, declared]) =>
			presentSetting(setting, declared, row.texts, typedText(setting, declared, typed)),
		),
		changes: changes.map((change) => presentChange(section, change, row.texts)),
	}
}

/** What was typed into a field; null for nothing, a secret or a file. */
function typedText(name: string, { input }: Setting, typed: URLSearchParams): string | null {
	if (input === 'secret' || input === 'picture') return null
	// Browsers omit an unchecked box from a form.
	return typed.get(name) ?? (input === 'box' && typed.has('version') ? '' : null)
}

/**
 * Stores the files of picture fields, and sets the fields to their paths.
 * @param form is modified: `{name}_file` becomes `{name}`
 * @throws Invalid at the field if a file is refused
 */
export async function storePictures(viewer: Viewer, name: string, form: FormData): Promise<void> {
	const actor = requireAdmin(viewer)
	for (const [setting, { input }] of Object.entries(requireSection(name).settings)) {
		if (input !== 'picture') continue
		if (form.get(removalOf(setting)) === 'on') form.set(setting, '')
		else {
			await countUse('siteSettings', actor)
			const picture = await pictureFromFile(actor, 'logo', form, setting)
			if (picture) form.set(setting, `${picture.path}#${picture.width}x${picture.height}`)
		}
		form.delete(`${setting}_file`)
	}
}

/**
 * Saves a section. Settings from the environment stay; an empty secret keeps the stored one.
 * @param input fields as `fieldOf` names them, with the `version` that the form is based on
 * @throws Invalid with the fields, EditConflict if another admin saved first, and errors of the section's checks
 */
export async function saveSection(viewer: Viewer, name: string, input: Input): Promise<{ title: string }> {
	const actor = requireAdmin(viewer)
	const section = requireSection(name)
	await countUse('siteSettings', actor)
	const version = requireVersion(input)
	const sent = readTexts(section, input)
	const before = await findSection(name)
	if (before.version === version) {
		const texts = withSent(section, before.texts, sent)
		await write(actor, section, { before, texts }, (row) => requireNothingNew(section, row, sent))
	} else requireNothingNew(section, before, sent)
	return { title: section.title }
}

/**
 * Undoes a change. Secrets stay, as former ones are not stored.
 * @throws Conflict if one of its settings was changed since, and errors of the section's checks
 */
export async function undoChange(viewer: Viewer, name: string, id: number): Promise<void> {
	const actor = requireAdmin(viewer)
	const section = requireSection(name)
	await countUse('siteSettings', actor)
	const before = await findSection(name)
	const changes = isId(id) ? await findChanges(name, id) : undefined
	if (!changes) throw new NotFound('There is no such change.')
	const tooLate = () => {
		throw new Conflict('This can no longer be undone: it was changed again since. Reload the page.')
	}
	if (!mayUndo(section, changes, before.texts)) tooLate()
	const texts: Record<string, string> = { ...before.texts }
	for (const [setting, { old }] of undoable(section, changes)) {
		if (old === null) delete texts[setting]
		else texts[setting] = old
	}
	await write(actor, section, { before, texts }, tooLate)
}

/**
 * Validates texts, saves those that differ, and notifies all processes.
 * @param onLate called instead if somebody else saved meanwhile, with the present texts
 */
async function write(
	actor: SignedIn,
	section: SettingSection,
	{ before, texts }: { before: SavedTexts; texts: SettingTexts },
	onLate: (row: SavedTexts) => void,
): Promise<void> {
	const values = valuesOf(section, texts)
	await section.check?.(values)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			const row = await lockSection(trx, section.name)
			if (row.version !== before.version) return onLate(row)
			const changes = changesOf(section, row.texts, texts)
			if (Object.keys(changes).length === 0) return
			await section.guard?.(values, trx)
			await writeSection(trx, { id: row.id, texts, changes, actorId: actor.id })
			await record(trx, actor, { id: row.id, section, changes })
		})
	await announceSettings()
}

/** The log has the names of changed settings; their values are in the history. */
async function record(
	trx: Executor,
	actor: SignedIn,
	{ id, section, changes }: { id: number; section: SettingSection; changes: SettingChanges },
): Promise<void> {
	const labels = Object.keys(changes).map((name) => `“${section.settings[name]?.label}”`)
	await addLogRow(trx, {
		actorId: actor.id,
		act: 'change settings',
		kind: SETTING_SUBJECT,
		targetId: id,
		memberId: actor.id,
		title: section.title,
		note: labels.join(', '),
	})
}

function requireSection(name: string): SettingSection {
	const section = registry.sections.get(name)
	if (!section) throw new NotFound('There are no such settings.')
	return section
}

/** The texts of a form by setting, parsed by their schemas; null for a secret to be removed. */
type Sent = Record<string, string | null>

/** @throws Invalid with the errors of all fields */
function readTexts(section: SettingSection, input: Input): Sent {
	const sent: Sent = {}
	const wrong: Record<string, string> = {}
	for (const [name, setting] of Object.entries(section.settings)) {
		if (setting.environment && isSetInEnvironment(setting.environment)) continue
		const field = fieldOf(name, setting)
		const parsed = setting.schema.safeParse(String(input[field] ?? ''))
		if (!parsed.success) wrong[field] = parsed.error.issues[0]?.message ?? 'This is not right.'
		else if (setting.input !== 'secret') sent[name] = fieldText(parsed.data)
		else if (input[removalOf(name)] === 'on') sent[name] = null
		else if (parsed.data !== '') sent[name] = String(parsed.data)
	}
	const [message] = Object.values(wrong)
	if (message !== undefined) throw new Invalid(message, wrong)
	return sent
}

/** Removes the name of a leaving member from saved texts, such as an announcement. */
export const forgetInSettings: LeavingStep = async ({ usernames }) => {
	let isChanged = false
	for (const section of registry.sections.values()) {
		if (!(await findNaming(section, (await findSection(section.name)).texts, usernames))) continue
		await db()
			.transaction()
			.execute(async (trx) => {
				const { id, texts } = await lockSection(trx, section.name)
				await rewriteSection(trx, id, { ...texts, ...(await findNaming(section, texts, usernames)) })
			})
		isChanged = true
	}
	if (isChanged) await announceSettings()
	return false
}

/** The texts of a section without the names of these members; null if they are not mentioned. */
async function findNaming(
	section: SettingSection,
	texts: SettingTexts,
	usernames: readonly string[],
): Promise<SettingTexts | null> {
	const plain = Object.entries(texts).filter(([name]) => section.settings[name]?.input !== 'secret')
	const values = plain.map(([, text]) => text)
	const [longer, shorter] = await Promise.all(
		[FORMER_USERNAME, ''].map((replacement) => renameInSettings(values, usernames, replacement)),
	)
	const changed = plain.flatMap(([name, text], index) => {
		const [next = '', short = ''] = [longer?.[index], shorter?.[index]]
		if (next === text) return []
		// A text that exceeds its limit would count as not saved.
		return [[name, section.settings[name]?.schema.safeParse(next).success === false ? short : next] as const]
	})
	return changed.length > 0 ? Object.fromEntries(changed) : null
}

/** Merges the submitted texts, with secrets encrypted. Unchanged values are left alone, so that a default stays a default. */
function withSent(section: SettingSection, before: SettingTexts, sent: Sent): SettingTexts {
	const texts: Record<string, string> = { ...before }
	for (const [name, setting] of Object.entries(section.settings)) {
		const text = sent[name]
		if (text === undefined || text === plainText(section, name, before)) continue
		if (text === null) delete texts[name]
		else texts[name] = setting.input === 'secret' ? encryptSecret(secretPurpose(section, name), text) : text
	}
	return texts
}

/** The plain text of a setting; null for a secret that is not set. */
function plainText(section: SettingSection, name: string, texts: SettingTexts): string | null {
	const setting = section.settings[name] as Setting
	const stored = texts[name]
	if (setting.input !== 'secret') return stored ?? defaultText(setting)
	return stored === undefined ? null : decryptSecret(secretPurpose(section, name), stored)
}

/** For a late save: submitting the stored values is not a conflict. @throws EditConflict */
function requireNothingNew(section: SettingSection, { version, texts }: SavedTexts, sent: Sent): void {
	const values: Record<string, string> = {}
	const visible: Record<string, string | null> = {}
	for (const [name, text] of Object.entries(sent)) {
		if (section.settings[name]?.input !== 'secret') {
			values[name] = plainText(section, name, texts) ?? ''
			visible[name] = text
		} else if (text !== plainText(section, name, texts)) visible[removalOf(name)] = 'another secret'
	}
	requireSameAsStored({ version, values }, visible)
}

function changesOf(section: SettingSection, before: SettingTexts, after: SettingTexts): SettingChanges {
	const changed = Object.keys(section.settings).filter((name) => before[name] !== after[name])
	return Object.fromEntries(
		changed.map((name) => {
			const isSecret = section.settings[name]?.input === 'secret'
			return [name, isSecret ? { old: null, new: null } : { old: before[name] ?? null, new: after[name] ?? null }]
		}),
	)
}

/** The parts of a change that can be undone: settings that still exist, without secrets. */
function undoable(section: SettingSection, changes: SettingChanges): [string, SettingChanges[string]][] {
	return Object.entries(changes).filter(([name]) => {
		const setting = section.settings[name]
		return setting !== undefined && setting.input !== 'secret'
	})
}

function mayUndo(section: SettingSection, changes: SettingChanges, texts: SettingTexts): boolean {
	const parts = undoable(section, changes)
	return parts.length > 0 && parts.every(([name, part]) => (texts[name] ?? null) === part.new)
}

/** @param typed the text of its field, which is shown instead of the saved one */
function presentSetting(name: string, setting: Setting, texts: SettingTexts, typed: string | null): SettingView {
	const { label, hint, input, choices, environment } = setting
	const isOutside = environment !== undefined && isSetInEnvironment(environment)
	const isSecret = input === 'secret'
	const parsed = typed === null ? null : setting.schema.safeParse(typed)
	const stored = parsed?.success ? fieldText(parsed.data) : (texts[name] ?? defaultText(setting))
	const [problem] = parsed?.error?.issues ?? []
	const outside = isOutside && !isSecret ? fieldText(config()[environment]) : ''
	return {
		name,
		label,
		hint,
		input,
		choices,
		field: fieldOf(name, setting),
		text: isSecret ? '' : isOutside ? outside : stored,
		refused: typed !== null && problem ? { text: typed, error: problem.message } : null,
		isSet: isSecret && texts[name] !== undefined,
		previews: input === 'colour' ? previewAccent(stored) : [],
		suggestions: setting.suggestions?.() ?? [],
		environment: isOutside ? environment : null,
	}
}

function presentChange(
	section: SettingSection,
	{ id, at, changes, username, name }: ChangeRow,
	texts: SettingTexts,
): SettingChangeView {
	const parts = Object.entries(section.settings).flatMap(([changed, setting]) => {
		const part = changes[changed]
		if (!part) return []
		const words = (text: string | null) => textInWords(setting, text ?? defaultText(setting))
		const isSecret = setting.input === 'secret'
		return [{ label: setting.label, from: isSecret ? null : words(part.old), to: isSecret ? null : words(part.new) }]
	})
	const by = username === null || name === null ? null : { username, name }
	return { id, at, by, parts, mayUndo: mayUndo(section, changes, texts) }
}
