import {
	Bold,
	CircleAlert,
	Code,
	Heading,
	type IconNode,
	Image,
	Italic,
	Link,
	List,
	ListOrdered,
	Quote,
	SquareCode,
	X,
} from 'lucide'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { describedBy } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Skeleton } from '~/ui/list-states.tsx'
import { Prose } from '~/ui/prose.tsx'
import { applyEdit, type EditKind, editOf, textSelectionOf } from './markdown-edits.ts'
import { MentionHelp } from './mention-help.tsx'
import { type PictureUpload, usePictures } from './use-pictures.ts'

interface MarkdownEditorProps {
	label: string
	name: string
	defaultValue: string
	/** The tags, which name the language of plain code blocks. */
	tags: string
	most: number
	error?: string | null | undefined
	/** Whether the member may add pictures. */
	pictures: boolean
	/** Called with the number of running uploads, for which the form waits. */
	onSending: (count: number) => void
}

/** A Markdown editor: a text area with a toolbar, pasted or dropped pictures, and a preview. Without scripts only the text area. */
export function MarkdownEditor(props: MarkdownEditorProps) {
	const { label, name, defaultValue, tags, most, error, pictures, onSending } = props
	const hydrated = useHydrated()
	const area = useRef<HTMLTextAreaElement>(null)
	const file = useRef<HTMLInputElement>(null)
	const [preview, setPreview] = useState<string | null>(null)
	const { sending, failure, addAll } = usePictures(area)
	const hint = 'Markdown is supported. Put code between lines of three backticks, and formulas between $ signs.'

	const count = sending.length
	useEffect(() => onSending(count), [count, onSending])

	const { use, press, take } = useEditing({ area, file, pictures, addAll })
	return (
		<div className="field flex-1 grid-rows-[auto_minmax(0,1fr)_auto]">
			<label className="label" htmlFor={name}>
				{label}
			</label>
			<div className="editor" data-invalid={error ? true : undefined}>
				{/* Rendered by the server too, so that the text area keeps its place when the scripts have loaded. */}
				<div className="flex flex-none border-line max-sm:flex-col-reverse sm:h-10 sm:items-center sm:justify-between sm:border-b sm:pr-3 sm:pl-1.5 noscript:hidden">
					{preview === null && <Toolbar controls={name} pictures={pictures} onTool={use} />}
					<EditorTabs
						preview={preview !== null}
						onWrite={() => setPreview(null)}
						onPreview={() => setPreview(area.current?.value ?? '')}
					/>
				</div>
				<textarea
					ref={area}
					className="min-h-64 w-full flex-1 resize-y bg-transparent px-3.5 py-3 font-mono text-base leading-5 outline-none sm:text-sm"
					id={name}
					name={name}
					rows={12}
					hidden={preview !== null}
					defaultValue={defaultValue}
					required
					maxLength={most}
					onKeyDown={press}
					onPaste={(event) => {
						// Text copied from a spreadsheet or a page often comes with a picture of itself.
						if (event.clipboardData.getData('text/plain') === '') take(event, event.clipboardData)
					}}
					onDragOver={(event) => {
						// The browser itself moves a dragged text.
						if (pictures && event.dataTransfer.types.includes('Files')) event.preventDefault()
					}}
					onDrop={(event) => take(event, event.dataTransfer)}
					{...describedBy(name, error, hint)}
				/>
				<MentionHelp area={area} />
				{preview !== null && (
					<div
						className="min-h-64 flex-1 overflow-y-auto px-3.5 py-3"
						id="preview"
						role="tabpanel"
						aria-label="Preview"
					>
						<PreviewPane description={preview} tags={tags} />
					</div>
				)}
				{sending.map((each) => (
					<UploadProgress key={each.id} {...each} />
				))}
				{hydrated && pictures && <PictureInput ref={file} onFiles={addAll} />}
			</div>
			<div className="grid gap-1">
				<p className="hint" id={`${name}-hint`}>
					{hint}
					{pictures && <span className="noscript:hidden"> Paste or drop a picture to add it.</span>}
				</p>
				{error && <Wrong id={`${name}-error`}>{error}</Wrong>}
				{failure && <Wrong>{failure}</Wrong>}
			</div>
		</div>
	)
}

interface EditingParts extends Pick<MarkdownEditorProps, 'pictures'> {
	area: RefObject<HTMLTextAreaElement | null>
	/** The field for a file. */
	file: RefObject<HTMLInputElement | null>
	addAll: (files: Iterable<File>) => void
}

/** What the toolbar, the keyboard, and pasted or dropped files do to the text. */
function useEditing({ area, file, pictures, addAll }: EditingParts) {
	const use = (kind: EditKind | 'image') => {
		if (kind === 'image') return file.current?.click()
		if (!area.current) return
		area.current.focus()
		applyEdit(area.current, editOf(kind, textSelectionOf(area.current)))
	}
	const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
		if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
			event.preventDefault()
			return event.currentTarget.form?.requestSubmit()
		}
		const kind = toolOfKey(event)
		if (!kind) return
		event.preventDefault()
		use(kind)
	}
	const take = (event: { preventDefault: () => void }, data: DataTransfer) => {
		if (!pictures || data.files.length === 0) return
		// Even if the files are refused: otherwise the browser would open one.
		event.preventDefault()
		addAll(data.files)
	}
	return { use, press, take }
}

interface PictureInputProps {
	ref: RefObject<HTMLInputElement | null>
	onFiles: (files: Iterable<File>) => void
}

function PictureInput({ ref, onFiles }: PictureInputProps) {
	return (
		<input
			ref={ref}
			className="hidden"
			type="file"
			accept="image/jpeg,image/png"
			multiple
			aria-label="Choose pictures"
			onChange={(event) => {
				onFiles(event.currentTarget.files ?? [])
				event.currentTarget.value = ''
			}}
		/>
	)
}

function Wrong({ id, children }: { id?: string; children: string }) {
	return (
		<p className="error" id={id} role="alert">
			<Icon of={CircleAlert} className="icon-sm mt-px" />
			<span>{children}</span>
		</p>
	)
}

interface EditorTabsProps {
	/** Whether the preview is shown. */
	preview: boolean
	onWrite: () => void
	onPreview: () => void
}

/** Write or Preview. */
export function EditorTabs({ preview, onWrite, onPreview }: EditorTabsProps) {
	const tabs = [
		{ name: 'Write', active: !preview, choose: onWrite },
		{ name: 'Preview', active: preview, choose: onPreview },
	]
	const move = (event: KeyboardEvent<HTMLDivElement>) => {
		if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
		event.preventDefault()
		const [write, shown] = event.currentTarget.querySelectorAll('button')
		const to = preview ? write : shown
		to?.focus()
		to?.click()
	}
	return (
		<div
			className="tabs gap-3 max-sm:px-3 sm:ml-auto sm:self-stretch sm:border-0"
			role="tablist"
			aria-label="Editor"
			onKeyDown={move}
		>
			{tabs.map(({ name, active, choose }) => (
				<button
					key={name}
					className="tab sm:mb-0 sm:h-full"
					type="button"
					role="tab"
					aria-selected={active}
					aria-controls={active && preview ? 'preview' : undefined}
					tabIndex={active ? 0 : -1}
					data-active={active || undefined}
					onClick={choose}
				>
					{name}
				</button>
			))}
		</div>
	)
}

const failed = 'Something went wrong. Try again!'

/** A preview, rendered by the server as in publishing. */
export function PreviewPane({ description, tags }: { description: string; tags: string }) {
	const [shown, setShown] = useState<{ html?: string; message?: string }>({})
	const empty = description.trim() === ''
	useEffect(() => {
		if (empty) return
		const abort = new AbortController()
		preview(description, tags, abort.signal).then(setShown, (error) => {
			if (!abort.signal.aborted) setShown({ message: error instanceof Refusal ? error.message : failed })
		})
		return () => abort.abort()
	}, [description, tags, empty])
	if (empty) return <p className="text-ink-3">Nothing to preview yet.</p>
	if (shown.message) return <FormError>{shown.message}</FormError>
	if (shown.html === undefined) return <Skeleton className="after-150ms h-5 w-3/4" />
	return <Prose html={shown.html} />
}

class Refusal extends Error {}

async function preview(description: string, tags: string, signal: AbortSignal): Promise<{ html: string }> {
	const body = new URLSearchParams({ description, tags })
	const response = await fetch('/forum/preview', { method: 'POST', body, signal })
	const answer = (await response.json()) as { html: string; message?: string }
	if (!response.ok) throw new Refusal(answer.message ?? failed)
	return answer
}

/** The progress of an upload, with a button to cancel it. */
export function UploadProgress({ name, sent, waiting, cancel }: PictureUpload) {
	return (
		<div className="flex items-center gap-2 border-t border-line py-1 pr-1 pl-3.5 text-xs text-ink-2">
			<span className="min-w-0 flex-1">
				<span className="block truncate">
					{waiting ? 'The connection failed. Trying again…' : `${name}, ${Math.round(sent * 100)}%`}
				</span>
				<progress className="block h-1 w-full accent-ivy" max={1} value={sent} aria-label={`Uploading ${name}`} />
			</span>
			<button
				type="button"
				className="icon-btn icon-btn-sm"
				aria-label={`Cancel the upload of ${name}`}
				onClick={cancel}
			>
				<Icon of={X} className="icon-sm" />
			</button>
		</div>
	)
}

interface Tool {
	kind: EditKind | 'image'
	name: string
	icon: IconNode
	/** The key with Ctrl, or Command on a Mac; a capital letter needs Shift. */
	key?: string
}

const tools: Tool[] = [
	{ kind: 'heading', name: 'Heading', icon: Heading },
	{ kind: 'bold', name: 'Bold', icon: Bold, key: 'b' },
	{ kind: 'italic', name: 'Italic', icon: Italic, key: 'i' },
	{ kind: 'code', name: 'Code', icon: Code, key: 'e' },
	{ kind: 'block', name: 'Code block', icon: SquareCode, key: 'E' },
	{ kind: 'link', name: 'Link', icon: Link, key: 'k' },
	{ kind: 'quote', name: 'Quote', icon: Quote, key: '>' },
	{ kind: 'list', name: 'Bulleted list', icon: List, key: '*' },
	{ kind: 'numbers', name: 'Numbered list', icon: ListOrdered, key: '&' },
	{ kind: 'image', name: 'Image', icon: Image },
]

/** On most layouts the shifted digits and the full stop produce these. */
const codes: Record<string, string> = { Period: '>', Digit8: '*', Digit7: '&' }

/** The tool for a keyboard shortcut; null for other keys. */
export function toolOfKey(event: KeyboardEvent): EditKind | null {
	if (!(event.ctrlKey || event.metaKey) || event.altKey) return null
	// Caps Lock makes capitals, too.
	const key = event.shiftKey ? (codes[event.code] ?? event.key.toUpperCase()) : event.key.toLowerCase()
	const tool = tools.find((each) => each.key === key)
	return tool && tool.kind !== 'image' ? tool.kind : null
}

interface ToolbarProps {
	/** The id of the text area. */
	controls: string
	/** Whether pictures can be added. */
	pictures: boolean
	onTool: (kind: EditKind | 'image') => void
}

/** The toolbar of a text area. One button is a tab stop; arrow keys move between them. */
export function Toolbar({ controls, pictures, onTool }: ToolbarProps) {
	const [at, setAt] = useState(0)
	const shown = pictures ? tools : tools.filter(({ kind }) => kind !== 'image')
	const move = (event: KeyboardEvent<HTMLDivElement>) => {
		const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }
		const next = steps[event.key]
		if (next === undefined) return
		event.preventDefault()
		const place = (next + shown.length) % shown.length
		setAt(place)
		event.currentTarget.querySelectorAll('button')[place]?.focus()
	}
	return (
		<div
			className="flex items-center max-sm:flex-wrap max-sm:border-b max-sm:border-line max-sm:p-1"
			role="toolbar"
			aria-label="Formatting"
			aria-controls={controls}
			onKeyDown={move}
		>
			{shown.map(({ kind, name, icon, key }, index) => (
				<button
					key={kind}
					type="button"
					className={`icon-btn icon-btn-sm ${kind === 'code' ? 'sm:ml-2.5' : ''}`}
					aria-label={name}
					aria-keyshortcuts={key && shortcut(key, 'Control+', 'Shift+')}
					title={key ? `${name} (${shortcut(key, 'Ctrl ', 'Shift ')})` : name}
					tabIndex={index === at ? 0 : -1}
					// Keeps the selection and, on a phone, the keyboard.
					onPointerDown={(event) => event.preventDefault()}
					onFocus={() => setAt(index)}
					onClick={() => onTool(kind)}
				>
					<Icon of={icon} />
				</button>
			))}
		</div>
	)
}

function shortcut(key: string, control: string, shift: string): string {
	const digit = { '>': '.', '*': '8', '&': '7' }[key]
	return `${control}${digit || key === 'E' ? shift : ''}${digit ?? key.toUpperCase()}`
}
