import { CircleAlert } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { described } from '~/ui/field.tsx'
import { MentionHelp } from '../../mentions/components/mention-help.tsx'
import { EditorTabs } from './editor-tabs.tsx'
import { type EditKind, editOf } from './markdown-edits.ts'
import { PreviewPane } from './preview-pane.tsx'
import { applyEdit, selectedOf } from './text-area.ts'
import { Toolbar, toolOfKey } from './toolbar.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { picturesOf, usePictures } from './use-pictures.ts'

interface MarkdownEditorProps {
	label: string
	name: string
	defaultValue: string
	/** The tags beside it name the language of plain code blocks. */
	tags: string
	most: number
	error?: string | null | undefined
	/** Whether the member may add pictures. */
	pictures: boolean
	/** Told how many pictures are on their way, so that the form waits for them. */
	onSending: (count: number) => void
}

/**
 * A text in Markdown: a plain text area, with buttons over it that type for the member, pictures that are pasted or dropped,
 * and a preview. Without scripts the text area alone.
 */
export function MarkdownEditor(props: MarkdownEditorProps) {
	const { label, name, defaultValue, tags, most, error, pictures, onSending } = props
	const hydrated = useHydrated()
	const area = useRef<HTMLTextAreaElement>(null)
	const file = useRef<HTMLInputElement>(null)
	const [preview, setPreview] = useState<string | null>(null)
	const { sending, failure, addAll } = usePictures(area)
	const hint = 'Markdown is supported. Put code between lines of three backticks.'

	const count = sending.length
	useEffect(() => onSending(count), [count, onSending])

	const use = (kind: EditKind | 'image') => {
		if (kind === 'image') return file.current?.click()
		if (!area.current) return
		area.current.focus()
		applyEdit(area.current, editOf(kind, selectedOf(area.current)))
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
		const found = pictures ? picturesOf(data) : []
		if (found.length === 0) return
		event.preventDefault()
		addAll(found)
	}
	return (
		<div className="field flex-1 grid-rows-[auto_minmax(0,1fr)_auto]">
			<label className="label" htmlFor={name}>
				{label}
			</label>
			<div className="editor" data-invalid={error ? true : undefined}>
				{hydrated && (
					<div className="flex flex-none border-line max-sm:flex-col-reverse sm:h-10 sm:items-center sm:justify-between sm:border-b sm:pr-3 sm:pl-1.5">
						{preview === null && <Toolbar controls={name} pictures={pictures} disabled={false} onTool={use} />}
						<EditorTabs
							preview={preview !== null}
							onWrite={() => setPreview(null)}
							onPreview={() => setPreview(area.current?.value ?? '')}
						/>
					</div>
				)}
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
					onPaste={(event) => take(event, event.clipboardData)}
					onDragOver={(event) => pictures && event.preventDefault()}
					onDrop={(event) => take(event, event.dataTransfer)}
					{...described(name, error, hint)}
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
				{hydrated && pictures && (
					<input
						ref={file}
						className="hidden"
						type="file"
						accept="image/jpeg,image/png"
						multiple
						aria-label="Choose pictures"
						onChange={(event) => {
							addAll(event.currentTarget.files ?? [])
							event.currentTarget.value = ''
						}}
					/>
				)}
			</div>
			<div className="grid gap-1">
				<p className="hint" id={`${name}-hint`}>
					{hint}
					{hydrated && pictures && ' Paste or drop a picture to add it.'}
				</p>
				{error && <Wrong id={`${name}-error`}>{error}</Wrong>}
				{failure && <Wrong>{failure}</Wrong>}
			</div>
		</div>
	)
}

function Wrong({ id, children }: { id?: string; children: string }) {
	return (
		<p className="error" id={id} role="alert">
			<CircleAlert className="icon icon-sm mt-px" aria-hidden="true" />
			<span>{children}</span>
		</p>
	)
}
