import type { MarkdownIt } from 'markdown-it'

const box = /^\[([ xX])\][ \t\u00a0]+/

/**
 * Parses task lists as GitHub does: an item that begins with `[ ]` or `[x]` and a space begins with a checkbox. Its token is `task`, whose
 * `markup` is the mark.
 */
export function tasks(parser: MarkdownIt): void {
	// Before `text_join`, which would make an escaped bracket one of the text.
	parser.core.ruler.after('inline', 'tasks', (state) => {
		for (const [index, { type }] of state.tokens.entries()) {
			if (type !== 'list_item_open' || state.tokens[index + 1]?.type !== 'paragraph_open') continue
			const text = state.tokens[index + 2]
			const [first] = text?.children ?? []
			const [whole, mark = ''] = (first?.type === 'text' && box.exec(first.content)) || []
			if (!text?.children || !first || !whole) continue
			first.content = first.content.slice(whole.length)
			// The direction of a list is that of the first letter of its content.
			text.content = text.content.slice(whole.length)
			const task = new state.Token('task', 'input', 0)
			task.markup = mark.toLowerCase()
			text.children.unshift(task)
		}
	})
	parser.renderer.rules.task = (tokens, index) => {
		const checked = tokens[index]?.markup === 'x' ? ' checked' : ''
		return `<input type="checkbox" aria-label="${TASK_LABEL}" disabled${checked} />`
	}
}

/** The accessible name of a checkbox; its state says whether the task is done. */
export const TASK_LABEL = 'Done'
