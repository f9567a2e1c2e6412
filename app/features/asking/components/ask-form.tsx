import { History, X } from 'lucide'
import { type ComponentType, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { type FetcherWithComponents, useNavigate, useNavigation } from 'react-router'
import type { CategoryView } from '~/features/tags/tags.view.ts'
import { inZone, timeOfDay } from '~/lib/calendar.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { toast } from '~/shell/toast.ts'
import { useToastOffset } from '~/shell/use-toast-offset.ts'
import { ConflictNotice } from '~/ui/conflict-notice.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusal } from '~/ui/form-kit.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { busyButtonProps, Spinner } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { WritingNotice } from '~/ui/writing-notice.tsx'
import type { AskValues, Draft } from '../asking.view.ts'
import { AskFields, TitleField } from './ask-fields.tsx'
import { type Notice, useDraft } from './use-draft.ts'

/** The input for similar questions. */
interface SimilarProps {
	title: string
	description: string
	/** Called with the address of one that has the answer: the draft is no longer needed. */
	onSolved: (url: string) => void
	className?: string
}

export interface AskFormProps {
	action: string
	/** The initial values. */
	start: AskValues
	/** The version that an edit is based on; 0 for a new question. */
	madeFrom: number
	/** `ask`, or `edit:{id}`. */
	draftKey: string
	/** The idempotency key of a new question; '' for an edit or a visitor. */
	sendKey: string
	/** The server's draft; undefined if it has to be loaded. */
	draft: Draft | null | undefined
	/** Whether the address prefills the form. */
	named: boolean
	categories: CategoryView[]
	refusal: FormRefusal | null
	submit: string
	/** The link or handler of Cancel. */
	cancel: string | (() => void)
	/** For a visitor: the login page, linked instead of the button. */
	login: string | null
	/** Submits without a navigation, for the form in a dialog. */
	fetcher?: FetcherWithComponents<FormRefusal>
	/** Shown below the title, or beside the form if there is room. */
	similar?: ComponentType<SimilarProps>
}

const names = { title: 'Title', category: 'Category', tags: 'Tags', description: 'Description' }

/** The form for asking and editing, whose input is stored as a draft. */
export function AskForm(props: AskFormProps) {
	const { action, madeFrom, draftKey, categories, refusal, fetcher } = props
	const { viewer } = useRootData()
	const hydrated = useHydrated()
	const form = useRef<HTMLFormElement>(null)
	const [sending, setSending] = useState(0)
	const [held, setHeld] = useState(false)
	const tell = useCallback((count: number) => setSending(count), [])
	const { draft, shown, discard } = useAskDraft(form, props)
	const busy = useBusy(action, fetcher)
	const sendKey = shown?.values.key ?? draft.sendKey
	const Element = fetcher?.Form ?? Form
	const inDialog = fetcher !== undefined
	return (
		<Element
			ref={form}
			className={inDialog ? 'flex min-h-0 flex-1 flex-col' : 'mt-5'}
			method="post"
			action={action}
			replace
			noValidate={hydrated}
			data-keeps-draft
			onInput={draft.look}
			onChange={draft.look}
			onSubmit={(event) => {
				setHeld(sending > 0)
				if (sending > 0 || busy) event.preventDefault()
				else if (sendKey) draft.noteSent(sendKey)
			}}
		>
			{sendKey && <input type="hidden" name="key" value={sendKey} />}
			<div
				className={`grid grid-cols-1 content-start has-data-similar:lg:grid-cols-[minmax(0,1fr)_19rem] has-data-similar:lg:grid-rows-[auto_1fr] ${inDialog ? 'min-h-0 flex-1 overflow-y-auto' : 'has-data-similar:lg:gap-x-10'}`}
			>
				<div className={`grid gap-5 ${inDialog ? 'p-5 pb-0' : ''}`}>
					<input type="hidden" name="draft" value={draftKey} />
					{madeFrom > 0 && <input type="hidden" name="version" value={shown?.stored?.version ?? draft.base.madeFrom} />}
					<WritingNotice />
					<DraftNotice notice={draft.notice} onDiscard={() => discard()} onSwap={draft.swap} onClose={draft.close} />
					<RefusalNotice shown={shown} typed={draft.live} onTake={discard} />
					<TitleField key={draft.base.round} value={draft.base.values.title} error={shown?.errors.title} />
				</div>
				{props.similar && (
					<SimilarColumn of={props.similar} inDialog={inDialog} typed={draft.live} onSolved={discard} />
				)}
				<div className={inDialog ? 'p-5' : 'pt-5'}>
					<AskFields
						key={draft.base.round}
						values={draft.base.values}
						tags={draft.live.tags}
						errors={shown?.errors ?? {}}
						categories={categories}
						pictures={viewer !== null}
						// A rejected form keeps its box, even if the session has ended: without it, it would be sent under the name.
						mayHide={(viewer !== null || refusal !== null) && madeFrom === 0}
						onSending={tell}
					/>
				</div>
			</div>
			<AskFooter
				inDialog={inDialog}
				savedAt={draft.savedAt}
				waiting={held && sending > 0}
				busy={busy}
				submit={props.submit}
				cancel={props.cancel}
				login={props.login}
				refused={shown !== null}
			/>
		</Element>
	)
}

/** The draft of the form, and the refusal of its last submission until the draft is discarded. */
function useAskDraft(form: RefObject<HTMLFormElement | null>, props: AskFormProps) {
	const { start, madeFrom, draftKey, named, refusal, fetcher, sendKey } = props
	const { viewer } = useRootData()
	const [dismissed, setDismissed] = useState<FormRefusal | null>(null)
	const refused = refusal ? { ...start, ...pick(refusal.values), pseudonym: 'pseudonym' in refusal.values } : null
	const draft = useDraft({
		form,
		draftKey,
		start,
		madeFrom,
		named,
		refused,
		sendKey,
		owner: viewer?.username ?? null,
		stored: props.draft,
	})
	const shown = refusal === dismissed ? null : refusal
	useRefusal(form, shown, fetcher !== undefined)
	useFocusKept(form, draft.base.round)
	const discard = (to?: AskValues, version?: number) => {
		setDismissed(refusal)
		draft.discard(to, version)
	}
	return { draft, shown, discard }
}

interface RefusalNoticeProps {
	shown: FormRefusal | null
	typed: AskValues
	/** Called with the stored texts, where the reader takes those. */
	onTake: (stored: AskValues, version: number) => void
}

/** Why the form was rejected: its errors, or the texts that somebody else saved meanwhile. */
function RefusalNotice({ shown, typed, onTake }: RefusalNoticeProps) {
	const stored = shown?.stored ?? null
	return (
		<>
			<FormError errors={stored ? {} : (shown?.errors ?? {})} names={names}>
				{stored ? null : shown?.message}
			</FormError>
			{stored && (
				<ConflictNotice
					stored={pick(stored.values)}
					typed={pick(typed)}
					names={names}
					onTake={() => onTake(pick(stored.values), stored.version)}
				/>
			)}
		</>
	)
}

interface SimilarColumnProps {
	of: ComponentType<SimilarProps>
	inDialog: boolean
	typed: AskValues
	/** Called when a similar question has the answer. */
	onSolved: () => void
}

function SimilarColumn({ of: Similar, inDialog, typed, onSolved }: SimilarColumnProps) {
	const navigate = useNavigate()
	return (
		<div
			className={`group/similar lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:border-l lg:border-line ${inDialog ? 'max-lg:px-5 max-lg:has-[section]:pt-5 lg:p-5' : 'max-lg:has-[section]:pt-5 lg:pl-10'}`}
			data-similar
		>
			<Similar
				className="max-lg:rounded-sm max-lg:bg-sunken max-lg:p-3"
				title={typed.title}
				description={typed.description}
				onSolved={async (url) => {
					onSolved()
					await navigate(url)
					toast({ type: 'success', message: 'Good to hear. Your draft was discarded.' })
				}}
			/>
			<p className="hint group-has-[section]/similar:hidden max-lg:hidden">
				Questions like yours appear here while you type.
			</p>
		</div>
	)
}

function pick({ title = '', description = '', tags = '', category = '' }: Partial<Omit<AskValues, 'pseudonym'>>) {
	return { title, description, tags, category }
}

/** Whether this form is being submitted. */
function useBusy(action: string, fetcher: FetcherWithComponents<FormRefusal> | undefined): boolean {
	const navigation = useNavigation()
	const path = (address: string | undefined) => address?.split('?')[0]
	if (fetcher) return fetcher.state !== 'idle'
	return navigation.state !== 'idle' && path(navigation.formAction) === path(action)
}

/** Restores the focus, as fields are remounted when their text is replaced. */
function useFocusKept(form: RefObject<HTMLFormElement | null>, round: number): void {
	const used = useRef('')
	useEffect(() => {
		const element = form.current
		const note = (event: FocusEvent) => {
			used.current = (event.target as HTMLElement).id
		}
		element?.addEventListener('focusin', note)
		return () => element?.removeEventListener('focusin', note)
	}, [form])
	useEffect(() => {
		if (round > 0 && used.current && document.activeElement === document.body)
			document.getElementById(used.current)?.focus()
	}, [round])
}

interface AskFooterProps {
	inDialog: boolean
	/** When the server stored the draft; ISO 8601. */
	savedAt: string | null
	/** Whether submitting waits for an upload. */
	waiting: boolean
	busy: boolean
	submit: string
	cancel: string | (() => void)
	login: string | null
	/** A rejected form keeps its button, even if the session has ended. */
	refused: boolean
}

/** The time of the last save, and the buttons of the form. */
export function AskFooter({ inDialog, savedAt, waiting, busy, submit, cancel, login, refused }: AskFooterProps) {
	const bar = useRef<HTMLDivElement>(null)
	useToastOffset(bar)
	return (
		<div
			ref={bar}
			className={`flex flex-none items-center gap-2 border-t border-line py-3 ${inDialog ? 'px-5' : 'mt-5'}`}
		>
			<span className="meta max-sm:sr-only" role="status">
				{waiting
					? 'A picture is still uploading. Wait a moment, or cancel it.'
					: savedAt && `Draft saved ${clock(savedAt)}`}
			</span>
			<span className="ml-auto flex gap-2 max-sm:w-full">
				{typeof cancel === 'string' ? (
					<Link className="btn btn-ghost max-sm:flex-1" to={cancel} replace>
						Cancel
					</Link>
				) : (
					<button type="button" className="btn btn-ghost max-sm:flex-1" onClick={cancel}>
						Cancel
					</button>
				)}
				{login !== null && (
					<Link
						className={`btn ${refused ? 'btn-outline' : 'btn-primary'} max-sm:flex-1`}
						to={login}
						target={refused ? '_blank' : undefined}
					>
						Login
					</Link>
				)}
				{(login === null || refused) && (
					<button type="submit" className="btn btn-primary max-sm:flex-1" {...busyButtonProps(busy)}>
						{busy && <Spinner />}
						{busy ? 'Saving...' : submit}
					</button>
				)}
			</span>
		</div>
	)
}

/** “10:24 am” in the reader's time zone; only rendered in the browser. */
function clock(at: string): string {
	return timeOfDay(inZone(at, 'local'))
}

const words = {
	restored: 'Draft restored',
	offered: 'You have a different draft',
	tab: 'This draft was changed in another tab. The newer text is shown',
	gone: 'This draft was posted or discarded in another tab',
	device: 'This draft was also changed on another device. The text here is newer and was kept',
} as const

interface DraftNoticeProps {
	notice: Notice | null
	onDiscard: () => void
	onSwap: () => void
	onClose: () => void
}

/** Tells that a draft was restored, and offers the other version or to start again. */
export function DraftNotice({ notice, onDiscard, onSwap, onClose }: DraftNoticeProps) {
	return (
		<div role="status" className="contents">
			{notice && (
				<div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm bg-sunken py-1 pr-1 pl-3 text-sm leading-5">
					<Icon of={History} className="text-ink-3 max-sm:hidden" />
					<span className="min-w-0 flex-1 py-1">
						{words[notice.kind]}{' '}
						<span className="text-ink-3">
							(<RelativeTime at={notice.at} />)
						</span>
					</span>
					<span className="flex items-center gap-1 noscript:hidden">
						{notice.other && (
							<button type="button" className="btn btn-outline btn-sm" onClick={onSwap}>
								Show the other text
							</button>
						)}
						{notice.kind === 'restored' && (
							<button type="button" className="btn btn-ghost btn-sm" onClick={onDiscard}>
								Discard
							</button>
						)}
						<button type="button" className="icon-btn icon-btn-sm" aria-label="Close this notice" onClick={onClose}>
							<Icon of={X} className="icon-sm" />
						</button>
					</span>
				</div>
			)}
		</div>
	)
}
