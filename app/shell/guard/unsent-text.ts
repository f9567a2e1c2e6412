/** What stood in a field before the reader typed into it. */
let before = new Map<Field, string>()

type Field = HTMLInputElement | HTMLTextAreaElement

/** Searches are no loss, and hidden fields are nobody's typing. */
const fields =
	'textarea, input:not([type=hidden], [type=search], [type=checkbox], [type=radio], [type=submit], [type=button], [type=file])'

document.addEventListener(
	'beforeinput',
	({ target }) => {
		if (target instanceof Element && target.matches(fields) && !before.has(target as Field))
			before.set(target as Field, (target as Field).value)
	},
	{ capture: true },
)

/** After a form was sent, what stands in the fields is no longer unsent. */
export function forgetTyped(): void {
	before = new Map()
}

/** Whether leaving this page would lose something that was typed or chosen in it. */
export function holdsUnsentText(): boolean {
	const chosen = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')]
	if (chosen.some(({ files }) => files?.length)) return true
	return [...document.querySelectorAll<Field>(fields)]
		.filter((field) => !field.closest('[role=search], search, form[method=get]'))
		.some((field) => field.value !== '' && field.value !== (before.get(field) ?? field.defaultValue))
}
