import type { Edit, Selected } from './markdown-edits.ts'

export function selectedOf(area: HTMLTextAreaElement): Selected {
	return { text: area.value, from: area.selectionStart, to: area.selectionEnd }
}

/**
 * Does an edit as if it were typed, so that the browser's own undo takes it back. `execCommand` is the only way to that; it
 * needs the focus, which is not taken from another field: the edit is then made without undo.
 */
export function applyEdit(area: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
	const focused = document.activeElement === area
	if (focused) area.setSelectionRange(from, to)
	const typed =
		focused && (insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert))
	if (!typed) {
		area.setRangeText(insert, from, to, 'end')
		area.dispatchEvent(new Event('input', { bubbles: true }))
	}
	if (focused) area.setSelectionRange(...select)
}
