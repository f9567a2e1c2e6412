import {
	Bold,
	Code,
	Heading,
	Image,
	Italic,
	Link,
	List,
	ListOrdered,
	type LucideIcon,
	Quote,
	SquareCode,
} from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { EditKind } from './markdown-edits.ts'

interface Tool {
	kind: EditKind | 'image'
	name: string
	icon: LucideIcon
	/** Key with Ctrl, or Command on a Mac; a capital one with Shift as well. */
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

/** On the keys of most layouts the shifted digits and the full stop write these. */
const codes: Record<string, string> = { Period: '>', Digit8: '*', Digit7: '&' }

/** What a key pressed in the text asks for; null when it is only a key. */
export function toolOfKey(event: KeyboardEvent): EditKind | null {
	if (!(event.ctrlKey || event.metaKey) || event.altKey) return null
	const key = event.shiftKey ? (codes[event.code] ?? event.key.toUpperCase()) : event.key
	const tool = tools.find((each) => each.key === key)
	return tool && tool.kind !== 'image' ? tool.kind : null
}

interface ToolbarProps {
	/** The id of the text that it works on. */
	controls: string
	/** Whether pictures can be added. */
	pictures: boolean
	disabled: boolean
	onTool: (kind: EditKind | 'image') => void
}

/** The buttons over a text. One of them is in the order of Tab; arrow keys lead to the others. */
export function Toolbar({ controls, pictures, disabled, onTool }: ToolbarProps) {
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
			{shown.map(({ kind, name, icon: Icon, key }, index) => (
				<button
					key={kind}
					type="button"
					className={`icon-btn icon-btn-sm ${kind === 'code' ? 'sm:ml-2.5' : ''}`}
					aria-label={name}
					aria-keyshortcuts={key && shortcut(key, 'Control+', 'Shift+')}
					title={key ? `${name} (${shortcut(key, 'Ctrl ', 'Shift ')})` : name}
					tabIndex={index === at ? 0 : -1}
					disabled={disabled}
					// The text keeps its selection and, on a phone, its keyboard.
					onPointerDown={(event) => event.preventDefault()}
					onFocus={() => setAt(index)}
					onClick={() => onTool(kind)}
				>
					<Icon className="icon" aria-hidden="true" />
				</button>
			))}
		</div>
	)
}

function shortcut(key: string, control: string, shift: string): string {
	const digit = { '>': '.', '*': '8', '&': '7' }[key]
	return `${control}${digit || key === 'E' ? shift : ''}${digit ?? key.toUpperCase()}`
}
