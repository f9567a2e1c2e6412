/** So many are named: what fits into two lines of the panel. */
const named = 5

const words = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']

/** “Three skills in common: Python, ESP32, Git.” @param skills of both members; of none nothing is said */
export function inCommon(skills: readonly string[]): string {
	const count = skills.length
	if (count === 0) return ''
	const some = `${words[count] ?? count} ${count === 1 ? 'skill' : 'skills'} in common`
	const list = skills.slice(0, named).join(', ')
	return count > named ? `${some}, among them ${list}.` : `${some}: ${list}.`
}
