import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { pictureUrl } from '~/lib/addresses.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import type { AccentPreview } from '~/platform/appearance/appearance.server.ts'
import { Checkbox, Field } from '~/ui/field.tsx'
import { Link } from '~/ui/link.tsx'
import { removalOf, type SettingView } from '../site-settings.view.ts'

interface LookFieldProps {
	setting: SettingView
	/** The field's value. */
	text: string
	error: string | undefined
}

/** A picture of the site: the present one, a file field, and a checkbox that removes it. */
export function SitePictureField({ setting: { field, name, label, hint }, text, error }: LookFieldProps) {
	const [path, size] = text.split('#')
	const [width, height] = (size ?? '').split('x').map(Number)
	return (
		<div className="grid gap-2">
			<input type="hidden" name={field} value={text} />
			<Field
				label={label}
				name={`${field}_file`}
				hint={hint}
				error={error}
				type="file"
				accept="image/png,image/jpeg"
				className="input h-auto py-1.5"
			/>
			{path && (
				<>
					<p className="rounded-sm border border-line p-2">
						<img
							className="mx-auto max-h-24 w-auto max-w-full object-contain"
							src={pictureUrl(path, 640)}
							alt="The logo that is saved"
							width={width}
							height={height}
						/>
					</p>
					<Checkbox name={removalOf(name)}>Remove the logo</Checkbox>
				</>
			)}
		</div>
	)
}

/** A colour as text, with named suggestions and a preview in both themes. With scripts also the browser's colour field. */
export function ColourField({ setting: { field, label, hint, choices = [], previews }, text, error }: LookFieldProps) {
	const input = useRef<HTMLInputElement>(null)
	const navigate = useNavigate()
	const hydrated = useHydrated()
	const show = (colour: string) =>
		navigate({ search: `?${new URLSearchParams({ [field]: colour })}` }, { replace: true, preventScrollReset: true })
	const [light] = previews
	return (
		<div className="grid gap-3">
			{/* A new key gives the field its new value; the button that asked for it keeps the focus. */}
			<Field
				key={`field ${text}`}
				ref={input}
				label={label}
				name={field}
				hint={hint}
				error={error}
				defaultValue={text}
				autoComplete="off"
				spellCheck={false}
				className="input font-mono"
				placeholder="#1c6b4a"
			/>
			<SuggestedColours field={field} choices={choices} text={text} />
			<p className="flex flex-wrap items-center gap-3">
				{hydrated && (
					<input
						key={text}
						type="color"
						className="h-9 w-14 cursor-pointer rounded-sm border border-control bg-raised p-1"
						aria-label="Choose a colour"
						defaultValue={/^#[0-9a-f]{6}$/.test(text) ? text : light?.accent}
						onChange={({ currentTarget }) => {
							if (input.current) input.current.value = currentTarget.value
						}}
					/>
				)}
				<button
					className="btn btn-outline"
					type="submit"
					formMethod="get"
					formEncType="application/x-www-form-urlencoded"
					formNoValidate
					onClick={(event) => {
						event.preventDefault()
						void show(input.current?.value ?? '')
					}}
				>
					Show a preview
				</button>
			</p>
			<div className="grid gap-3 sm:grid-cols-2">
				{previews.map((preview) => (
					<Preview key={preview.theme} preview={preview} />
				))}
			</div>
		</div>
	)
}

interface SuggestedColoursProps {
	field: string
	choices: readonly { value: string; label: string }[]
	/** The current text of the field. */
	text: string
}

/** Links that fill in a colour. */
function SuggestedColours({ field, choices, text }: SuggestedColoursProps) {
	return (
		<ul className="flex flex-wrap items-center gap-x-4 gap-y-1">
			{choices.map(({ value, label }) => (
				<li key={value}>
					<Link
						className="quiet-link inline-flex min-h-8 items-center gap-1.5"
						to={{ search: `?${new URLSearchParams({ [field]: value })}` }}
						preventScrollReset
						replace
						aria-current={value === text ? 'true' : undefined}
					>
						<svg className="size-4 flex-none" viewBox="0 0 16 16" aria-hidden="true">
							<rect width="16" height="16" rx="2" fill={value || '#1c6b4a'} />
						</svg>
						{label}
					</Link>
				</li>
			))}
		</ul>
	)
}

/** An image, as it shows colours of a theme that the page does not have. */
function Preview({ preview: { theme, paper, accent, on, contrasts } }: { preview: AccentPreview }) {
	return (
		<figure className="min-w-0">
			<svg className="w-full rounded-sm border border-line" viewBox="0 0 240 72" aria-hidden="true">
				<rect width="240" height="72" fill={paper} />
				<rect x="16" y="18" width="96" height="36" rx="4" fill={accent} />
				<g fontSize="14" fontWeight="600">
					<text x="64" y="41" textAnchor="middle" fill={on}>
						Button
					</text>
					<text x="136" y="41" fill={accent} textDecoration="underline">
						A link
					</text>
				</g>
			</svg>
			<figcaption className="hint mt-1">
				In the {theme} theme {accent}: a link has {contrasts.link.toFixed(1)}:1, a button {contrasts.button.toFixed(1)}
				:1.
			</figcaption>
		</figure>
	)
}
