import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { Invalid } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { capitalize, formatNumber, pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { Amounts, HideForm, PeriodSelect, stateWords, UndoFields } from '../components/takedown-parts.tsx'
import {
	getSeveralPage,
	type SeveralPage,
	type SeveralResult,
	takeDownSeveral,
	undoSeveral,
} from '../several.server.ts'
import {
	type AccountView,
	describeCounts,
	hasItems,
	MAX_ACCOUNTS,
	type SkippedAccounts,
	severalPath,
	takedownPath,
} from '../takedowns.view.ts'
import type { Route } from './+types/accounts'

/** The accounts are in the address, so that the page of an action can be opened again to undo it. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const typed = url.searchParams.get('accounts') ?? ''
		try {
			return { page: await getSeveralPage(viewer, typed, url.searchParams.get('period')), typed, problem: '' }
		} catch (error) {
			if (!(error instanceof Invalid)) throw error
			return { page: null, typed, problem: error.message }
		}
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const input = Object.fromEntries(form)
		const result = await chooseIntent(form.get('intent'), {
			hide: () => takeDownSeveral(viewer, input),
			undo: () => undoSeveral(viewer, input),
		})
		const isUndone = input.intent === 'undo'
		if (result.leftOut.length > 0) return { isUndone, result }
		const message = sentenceOf(isUndone, result)
		return redirectWithSuccess(url.pathname + url.search, message)
	} catch (error) {
		return refuseForm(error, form)
	}
}

function sentenceOf(isUndone: boolean, { done, unfinished }: SeveralResult): string {
	if (done === 0) return 'Nothing was changed.'
	const what = `${isUndone ? 'Undone' : 'Done'} for ${pluralize(done, 'account')}.`
	if (unfinished === 0) return what
	const goesOn = isUndone ? 'is still being restored' : 'is still being hidden'
	return `${what} What ${pluralize(unfinished, 'of them', 'of them')} published ${goesOn}, which may take some minutes.`
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Everything of several accounts', noindex: true })
}

export default function Accounts({ loaderData: { page, typed, problem }, actionData }: Route.ComponentProps) {
	const done = actionData && 'result' in actionData ? actionData : null
	const refusal = actionData && 'message' in actionData ? actionData : null
	const accounts = page?.accounts ?? []
	const here = withParams(severalPath, {
		accounts: typed || null,
		period: !page || page.period === 'all' ? null : page.period,
	})
	const undoable = undoableOf(accounts)
	const total = page?.amounts.reduce((sum, { count }) => sum + count, 0) ?? 0
	const hasForm = refusal?.values.intent === 'undo' ? undoable.length > 0 : total > 0
	return (
		<ModerationFrame title="Everything of several accounts">
			<p className="mt-4 max-w-[36rem] text-ink-2">
				Hides what these accounts published, in one step that can be undone. Posts under a pseudonym stay.
			</p>
			{done && <Result isUndone={done.isUndone} result={done.result} />}
			<ChooseForm typed={typed} period={page?.period ?? 'all'} problem={problem} />
			{refusal && !hasForm && (
				<div className="mt-6 max-w-[36rem]">
					<FormError>{refusal.message}</FormError>
				</div>
			)}
			{!done && <LeftOut leftOut={page?.leftOut ?? []} />}
			{page && accounts.length > 0 && (
				<>
					<section className="mt-8 max-w-[36rem]" aria-labelledby="preview">
						<SectionHeading id="preview" title={`What would be hidden of ${pluralize(accounts.length, 'account')}`} />
						<Amounts amounts={page.amounts} />
						<ul className="mt-4">
							{accounts.map((account) => (
								<Account key={account.username} account={account} />
							))}
						</ul>
					</section>
					<HideAll page={page} here={here} refusal={refusal?.values.intent === 'hide' ? refusal : null} />
					{undoable.length > 0 && (
						<UndoForm accounts={undoable} here={here} refusal={refusal?.values.intent === 'undo' ? refusal : null} />
					)}
				</>
			)}
		</ModerationFrame>
	)
}

function Result({ isUndone, result }: { isUndone: boolean; result: SeveralResult }) {
	return (
		<>
			<p className="mt-6 font-semibold" role="status">
				{sentenceOf(isUndone, result)}
			</p>
			<LeftOut leftOut={result.leftOut} />
		</>
	)
}

interface ChooseFormProps {
	typed: string
	period: SeveralPage['period']
	problem: string
}

function ChooseForm({ typed, period, problem }: ChooseFormProps) {
	return (
		<Form className="mt-6 grid max-w-[36rem] gap-4" action={severalPath}>
			<TextArea
				key={typed}
				label="Usernames"
				name="accounts"
				rows={4}
				autoCapitalize="none"
				spellCheck={false}
				defaultValue={typed}
				error={problem || undefined}
				hint={`With spaces, commas or lines between them. At most ${MAX_ACCOUNTS}.`}
			/>
			<div className="flex items-end gap-2">
				<div className="min-w-0 flex-1">
					<PeriodSelect period={period} />
				</div>
				<button className="btn btn-outline" type="submit">
					Count
				</button>
			</div>
		</Form>
	)
}

/** Accounts that are left out, by reason. */
function LeftOut({ leftOut }: { leftOut: SkippedAccounts[] }) {
	if (leftOut.length === 0) return null
	return (
		<section className="mt-6 max-w-[36rem]" aria-labelledby="left-out">
			<SectionHeading id="left-out" title="Left out" />
			<ul>
				{leftOut.map(({ why, usernames }) => (
					<li key={why} className="border-b border-line py-2.5">
						<p>{why}</p>
						<p className="mt-1 text-sm wrap-anywhere text-ink-2">{usernames.map((name) => `@${name}`).join(', ')}</p>
					</li>
				))}
			</ul>
		</section>
	)
}

/** What would be hidden of an account, and what was hidden last. */
function Account({ account: { username, name, counts, last } }: { account: AccountView }) {
	return (
		<li className="border-b border-line py-2.5 wrap-anywhere">
			<p>
				<Link className="quiet-link font-semibold" to={takedownPath(username)}>
					{name}
				</Link>{' '}
				<span className="meta">@{username}</span>
			</p>
			<p className="text-sm text-ink-2">{`${capitalize(describeCounts(counts))}.`}</p>
			{last && (
				<p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-3">
					<LocalTime at={last.at} />
					<span>by @{last.actor}</span>
					<span className="chip">{stateWords[last.state]}</span>
				</p>
			)}
		</li>
	)
}

/** The accounts whose last takedown belongs to the newest one here: of the same moderator, for the same reason. */
function undoableOf(accounts: AccountView[]): AccountView[] {
	const done = accounts.flatMap(({ last }) => (last?.state === 'done' ? [last] : []))
	const newest = done.toSorted((one, other) => other.id - one.id)[0]
	return accounts.filter(
		({ last }) => last?.state === 'done' && last.actor === newest?.actor && last.reason === newest.reason,
	)
}

function namesOf(accounts: AccountView[]): string {
	return accounts.map(({ username }) => username).join(' ')
}

interface ActFormProps {
	/** The address of the page. */
	here: string
	refusal: FormRefusal | null
}

function HideAll({ page: { from, amounts, accounts }, here, refusal }: ActFormProps & { page: SeveralPage }) {
	const total = amounts.reduce((sum, { count }) => sum + count, 0)
	const chosen = accounts.filter(({ counts }) => hasItems(counts))
	if (total === 0) return <p className="mt-6 text-ink-2">There is nothing to hide.</p>
	return (
		<HideForm
			here={here}
			from={from}
			refusal={refusal}
			whyHint="The members see this. Admins see it in the log, for each of them."
			submit={`Hide all ${formatNumber(total)} of ${pluralize(chosen.length, 'account')}`}
		>
			<input type="hidden" name="accounts" value={namesOf(chosen)} />
		</HideForm>
	)
}

function UndoForm({ accounts, here, refusal }: ActFormProps & { accounts: AccountView[] }) {
	return (
		<section className="mt-10 max-w-[36rem]" aria-labelledby="undo">
			<SectionHeading id="undo" title="Undo what was hidden last" />
			<Form method="post" action={here} className="mt-2 grid gap-4" replace noValidate>
				<input type="hidden" name="accounts" value={namesOf(accounts)} />
				<input type="hidden" name="ids" value={accounts.map(({ last }) => last?.id).join(',')} />
				<UndoFields
					id="undo-why"
					here={here}
					refusal={refusal}
					whyHint="Restores everything that was hidden last of each of these accounts by one moderator for one reason, unless it was changed since, and ends that suspension."
					submit={`Undo for ${pluralize(accounts.length, 'account')}`}
				/>
			</Form>
		</section>
	)
}
