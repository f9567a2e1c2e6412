import { ChevronDown } from 'lucide'
import { useEffect, useId, useState } from 'react'
import { pluralize } from '~/lib/text.ts'
import { Icon } from '~/ui/icon.tsx'
import { busyButtonProps } from '~/ui/submit-button.tsx'
import type { SimilarView } from '../search.view.ts'

interface SimilarQuestionsProps {
	title: string
	description: string
	/** Called after the author's report that this question had the answer was stored, with its address: their input is no longer needed. */
	onSolved: (url: string) => void
	className?: string
}

/** Up to five questions that may answer the one being written; renders nothing without any. Links open in a new tab. */
export function SimilarQuestions({ title, description, onSolved, className = '' }: SimilarQuestionsProps) {
	const rows = useSimilar(title, description)
	const heading = useId()
	const [busy, setBusy] = useState(false)
	const [open, setOpen] = useState(false)
	// Beside its button: a notice would be inert behind the dialog.
	const [failed, setFailed] = useState<{ id: number; message: string } | null>(null)
	// Otherwise it would appear again with its question.
	if (failed && !rows.some(({ id }) => id === failed.id)) setFailed(null)
	const solved = async ({ id }: SimilarView) => {
		setBusy(true)
		setFailed(null)
		const answer = await note(id)
		setBusy(false)
		if ('url' in answer) onSolved(answer.url)
		else setFailed({ id, ...answer })
	}
	return (
		<>
			<p className="sr-only" role="status">
				{rows.length > 0 && `${rows.length} similar ${rows.length === 1 ? 'question' : 'questions'} found.`}
			</p>
			{rows.length > 0 && (
				<section className={className} aria-labelledby={heading}>
					{/* In a single column, the list would push the fields out of view while the title is typed. */}
					<button
						className="flex w-full items-center justify-between gap-3 text-left text-sm font-semibold lg:hidden"
						type="button"
						aria-expanded={open}
						onClick={() => setOpen(!open)}
					>
						{pluralize(rows.length, 'similar question')}
						<Icon of={ChevronDown} className={open ? 'rotate-180' : ''} />
					</button>
					<div className="flex items-baseline justify-between gap-3 max-lg:hidden">
						<h2 className="text-sm font-semibold" id={heading}>
							Similar questions
						</h2>
						<span className="meta">{rows.length} found</span>
					</div>
					<ul className={open ? 'mt-1' : 'mt-1 max-lg:hidden'}>
						{rows.map((row) => (
							<SimilarItem
								key={row.id}
								row={row}
								busy={busy}
								error={failed?.id === row.id ? failed.message : null}
								onSolved={() => solved(row)}
							/>
						))}
					</ul>
				</section>
			)}
		</>
	)
}

const marks = 'wrap-anywhere [&_mark]:rounded-xs [&_mark]:bg-marigold-wash [&_mark]:text-inherit'

interface SimilarItemProps {
	row: SimilarView
	busy: boolean
	/** Why the report failed. */
	error: string | null
	onSolved: () => void
}

function SimilarItem({ row, busy, error, onSolved }: SimilarItemProps) {
	return (
		<li className="border-b border-line py-3 last:border-0 last:pb-0">
			<a className={`quiet-link block leading-5 font-semibold ${marks}`} href={row.url} target="_blank" rel="noopener">
				{/* The server has escaped the HTML; its only element is <mark>. */}
				<span dangerouslySetInnerHTML={{ __html: row.titleHtml }} />
				<span className="sr-only"> (opens in a new tab)</span>
			</a>
			{row.excerptHtml && (
				<p
					className={`mt-1 line-clamp-2 text-sm text-ink-2 ${marks}`}
					dangerouslySetInnerHTML={{ __html: row.excerptHtml }}
				/>
			)}
			<div className="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-ink-3">
				{row.solved ? <span className="answered">Answered</span> : <span>Not answered yet</span>}
				<span>{row.commentCount === 1 ? '1 comment' : `${row.commentCount} comments`}</span>
				<button
					className="btn btn-sm btn-ghost -mr-2.5 ml-auto"
					type="button"
					aria-label={`This solved mine: ${row.title}`}
					{...busyButtonProps(busy, onSolved)}
				>
					This solved mine
				</button>
			</div>
			{error && (
				<p className="error mt-1" role="alert">
					{error}
				</p>
			)}
		</li>
	)
}

/** Reports that a question had the answer. @returns its address, or why that failed */
async function note(id: number): Promise<{ url: string } | { message: string }> {
	try {
		const response = await fetch('/suggest/similar', {
			method: 'POST',
			body: new URLSearchParams({ query: String(id) }),
		})
		const answer = await response.json()
		return response.ok ? answer : { message: answer.message ?? 'Something went wrong!' }
	} catch {
		return { message: 'No connection. Try again.' }
	}
}

/** Milliseconds without a keystroke before questions are requested. */
const DEBOUNCE_MS = 250
/** A shorter title is not meaningful yet. */
const MIN_TITLE_LENGTH = 4
/** Characters of the description that are sent: even with three-byte characters, the address stays below the limit of 16 KB. */
const MAX_DESCRIPTION_LENGTH = 1_000

/**
 * Questions similar to the one being written, requested when typing pauses. Older requests are aborted, and earlier results stay
 * until there are newer ones.
 */
export function useSimilar(title: string, description: string): SimilarView[] {
	const [rows, setRows] = useState<SimilarView[]>([])
	const typed = title.trim()
	const context = description.trim().slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()

	useEffect(() => {
		const abort = new AbortController()
		const timer = setTimeout(async () => {
			const found = typed.length < MIN_TITLE_LENGTH ? [] : await ask(typed, context, abort.signal)
			if (found && !abort.signal.aborted) setRows(found)
		}, DEBOUNCE_MS)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [typed, context])

	return rows
}

async function ask(title: string, description: string, signal: AbortSignal): Promise<SimilarView[] | null> {
	try {
		const response = await fetch(`/suggest/similar?${new URLSearchParams({ title, description })}`, { signal })
		if (!response.ok) return null
		return ((await response.json()) as { rows: SimilarView[] }).rows
	} catch {
		// Similar questions are a convenience: without a response, asking works as before.
		return null
	}
}
