import { config, isSetInEnvironment } from '~/config.server.ts'
import { registrationSettings } from '~/features/accounts/registration/rules.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { SETTING_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { siteTime } from '~/lib/calendar.ts'
import { Conflict, DecidedAlready, NotFound } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { appearanceSection, siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { describeMailError, tryMail } from '~/platform/mail/mail.server.ts'
import { regionSection } from '~/platform/settings/region.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { nameSection, siteName } from '~/platform/settings/site-name.server.ts'
import { lockAdmin } from '../admins.server.ts'
import { categoriesPath } from '../categories/categories.view.ts'
import {
	countForSetup,
	deleteMark,
	findAdminEmail,
	insertMark,
	listMarks,
	type MarkRow,
	type SiteCounts,
	saveTestMailMark,
} from './setup.queries.server.ts'
import { type SetupKey, type SetupStatus, type SetupStepView, type SetupView, setupKeys } from './setup.view.ts'

/*
 * The setup checklist. The state of a step is derived from the site. Only decisions of admins are stored: keeping a default, hiding the
 * complete list, and the last accepted test mail.
 */

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Steps of the setup checklist. */
		setupSteps?: readonly SetupStep[]
	}
}

/** A step of the checklist, as a feature declares it. */
export interface SetupStep {
	key: SetupKey
	title: string
	/** The page where it is done. */
	to: string
	/** Determines the state, with at most one statement. */
	look(known: SetupFacts): SetupStatus | Promise<SetupStatus>
}

/** Data that is read once for all steps. */
export interface SetupFacts {
	counts: SiteCounts
	/** The last accepted test mail; undefined without one. */
	testMail: MarkRow | undefined
}

/** The pseudo-step that marks the list as hidden. */
const HIDDEN = 'hidden'

const registry = remember('setup-steps', () => ({ steps: new Map<SetupKey, SetupStep>() }))

/** Registers the steps of all features. @throws Error if a step is declared twice, or not at all */
export function registerSetupSteps(steps: readonly SetupStep[]): void {
	registry.steps = new Map(steps.map((step) => [step.key, step]))
	if (steps.length !== setupKeys.length || registry.steps.size !== setupKeys.length)
		throw new Error('Each step of the checklist is declared by one feature.')
}

/** The state of the setup. @throws NotAllowed */
export async function getSetup(viewer: Viewer): Promise<SetupView> {
	requireAdmin(viewer)
	const [marks, counts] = await Promise.all([listMarks(), countForSetup()])
	const marked = new Map(marks.map((mark) => [mark.step, mark]))
	const facts = { counts, testMail: marked.get('mail') }
	const steps = await Promise.all(orderedSteps().map((step) => presentStep(step, facts, marked.has(step.key))))
	const done = steps.filter(({ state }) => state === 'done' || state === 'kept').length
	return { steps, done, isHidden: done === steps.length && marked.has(HIDDEN) }
}

function orderedSteps(): SetupStep[] {
	return setupKeys.flatMap((key) => registry.steps.get(key) ?? [])
}

async function presentStep(step: SetupStep, facts: SetupFacts, isMarked: boolean): Promise<SetupStepView> {
	const { key, title, to } = step
	const { state, words } = await step.look(facts)
	return { key, title, to, state: state === 'usual' && isMarked ? 'kept' : state, words }
}

/** Decides to keep a default, or reopens the step. @throws NotFound, NotAllowed, Conflict if it was decided or changed meanwhile */
export async function keepSetupDefault(viewer: Viewer, key: unknown, isKept: boolean): Promise<void> {
	const step = registry.steps.get(key as SetupKey)
	if (!step) throw new NotFound('There is no such step.')
	await decide(viewer, async (trx, actor, view) => {
		const shown = view.steps.find((one) => one.key === step.key)
		if (shown?.state !== (isKept ? 'usual' : 'kept')) throw new DecidedAlready()
		const isNew = await (isKept ? insertMark(trx, step.key, actor.id) : deleteMark(trx, step.key))
		if (!isNew) throw new DecidedAlready()
		return { act: isKept ? 'keep as it is' : 'open again', title: step.title }
	})
}

/** Hides or shows the complete list. @throws NotAllowed, Conflict if a step is open, or it was decided meanwhile */
export async function hideSetup(viewer: Viewer, isHidden: boolean): Promise<void> {
	await decide(viewer, async (trx, actor, { done, steps }) => {
		if (isHidden && done < steps.length)
			throw new Conflict('Some steps are still open. The list can be hidden once all are done.')
		const isNew = await (isHidden ? insertMark(trx, HIDDEN, actor.id) : deleteMark(trx, HIDDEN))
		if (!isNew) throw new DecidedAlready()
		return { act: isHidden ? 'hide' : 'show', title: 'the checklist' }
	})
}

type Decision = (trx: Executor, actor: SignedIn, view: SetupView) => Promise<{ act: string; title: string }>

async function decide(viewer: Viewer, decision: Decision): Promise<void> {
	const actor = requireAdmin(viewer)
	await countUse('siteSettings', actor)
	const view = await getSetup(actor)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			await record(trx, actor, await decision(trx, actor, view))
		})
}

async function record(
	trx: Executor,
	{ id }: SignedIn,
	{ act, title, note = '' }: { act: string; title: string; note?: string },
): Promise<void> {
	await addLogRow(trx, { actorId: id, act, kind: SETTING_SUBJECT, targetId: 0, memberId: id, title, note })
}

/**
 * Sends a test mail to the admin and waits for the mail server's response. A failure revokes an earlier success.
 * @returns the address
 * @throws NotAllowed, TooManyRequests, Conflict with the problem
 */
export async function sendTestMail(viewer: Viewer): Promise<string> {
	const actor = requireAdmin(viewer)
	await countUse('setupMails', actor)
	const { SMTP_URL, publicUrl } = config()
	if (!SMTP_URL) throw new Conflict(noMailServer)
	await db()
		.transaction()
		.execute((trx) => lockAdmin(trx, actor))
	const to = await findAdminEmail(actor.id)
	if (!to) throw new NotFound('Your account has no address.')
	const text = `This is a test email from ${siteName()}, ${publicUrl}. You asked for it in administration. Mail works.\n`
	// Outside a transaction, as it may take a minute.
	const { answer, error } = await tryMail({ to, subject: `Test email from ${siteName()}`, text }).then(
		(answer) => ({ answer, error: null }),
		(error: unknown) => ({ answer: '', error }),
	)
	const note = answer ? `The mail server accepted an email to ${to} and said: ${answer}` : ''
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			if (error) await deleteMark(trx, 'mail')
			else await saveTestMailMark(trx, { about: mailPlace(), note, actorId: actor.id })
			await record(trx, actor, { act: 'send a test email', title: 'Mail', note: error ? 'which failed' : '' })
		})
	if (error) throw new Conflict(describeMailError(error))
	return to
}

/** The present mail server and sender, without the password. */
function mailPlace(): string {
	const { SMTP_URL, MAIL_FROM } = config()
	const { protocol, host, username } = new URL(SMTP_URL ?? 'smtp://none')
	return `${protocol}//${username}@${host} ${MAIL_FROM}`
}

const noMailServer =
	'The site has no mail server, so no mails are delivered: they are only written to files. The operator of the server can set SMTP_URL and MAIL_FROM.'

/** The steps about platform and lower features. */
export const coreSetupSteps: readonly SetupStep[] = [
	{
		key: 'name',
		title: 'Name',
		to: '/admin/settings/name',
		look() {
			const name = siteName()
			const isOwn = isSetInEnvironment('SITE_NAME') || name !== nameSection.settings.name.default
			const words = isOwn ? `The site is called “${name}”.` : `It has the default name, “${name}”.`
			return { state: isOwn ? 'done' : 'usual', words }
		},
	},
	{
		key: 'logo',
		title: 'Logo',
		to: '/admin/settings/appearance',
		look() {
			if (siteAppearance().logo) return { state: 'done', words: 'The site has a logo of its own.' }
			return { state: 'usual', words: 'The default logo is shown.' }
		},
	},
	{
		key: 'colour',
		title: 'Colour',
		to: '/admin/settings/appearance',
		look() {
			const { accent } = siteSettings(appearanceSection)
			if (accent) return { state: 'done', words: `Buttons and links use the colour ${accent}.` }
			return { state: 'usual', words: 'Buttons and links use the default green.' }
		},
	},
	{
		key: 'region',
		title: 'Region and time zone',
		to: '/admin/settings/region',
		look() {
			const { locale, zone } = siteSettings(regionSection)
			const isOwn = zone !== '' || locale !== regionSection.settings.locale.default
			const words = `Now it is ${siteTime(new Date().toISOString())}.`
			return { state: isOwn ? 'done' : 'usual', words }
		},
	},
	{
		key: 'mail',
		title: 'Mail',
		to: '/admin/figures',
		look({ testMail }) {
			if (!config().SMTP_URL) return { state: 'open', words: noMailServer }
			if (testMail?.about === mailPlace()) return { state: 'done', words: testMail.note }
			const words = testMail
				? 'The mail server was changed since the last test mail.'
				: 'No test mail has been sent yet.'
			return { state: 'open', words: `${words} Send one to yourself, and see whether it arrives.` }
		},
	},
	{
		key: 'registration',
		title: 'Who may register',
		to: '/admin/settings/registration',
		look() {
			const { mode, domains } = registrationSettings()
			if (mode === 'closed') return { state: 'done', words: 'Nobody can register.' }
			if (mode === 'invited') return { state: 'done', words: 'Only invited people can register.' }
			if (domains.length === 0) return { state: 'usual', words: 'Anyone can register, with any address.' }
			return { state: 'done', words: `Anyone with an address at ${domains.join(', ')} can register.` }
		},
	},
	{
		key: 'categories',
		title: 'Categories',
		to: categoriesPath,
		look({ counts: { categories, changed } }) {
			if (changed === 0) return { state: 'usual', words: `The site has the ${categories} default categories.` }
			return { state: 'done', words: `${pluralize(categories, 'category', 'categories')}, ${changed} of them yours.` }
		},
	},
	{
		key: 'second-admin',
		title: 'A second admin',
		to: '/admin/members',
		look({ counts: { admins } }) {
			if (admins > 1) return { state: 'done', words: `There are ${admins} admins.` }
			const words = 'You are the only admin: if you lose access, nobody can help. Make a member you trust an admin.'
			return { state: 'open', words }
		},
	},
]
