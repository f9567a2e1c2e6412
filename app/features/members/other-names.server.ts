/**
 * Branches by their usual names, those with “and” also without it. A line is one branch: whoever types one of its names
 * means all of them.
 */
const branchNames = withoutAnd([
	[
		'cse',
		'cs',
		'computer science',
		'computer science and engineering',
		'computer science engineering',
		'computer engineering',
		'comp engineering',
		'comp sci',
		'compsci',
	],
	['it', 'information technology'],
	[
		'ece',
		'entc',
		'extc',
		'e tc',
		'electronics and communication',
		'electronics and communication engineering',
		'electronics and telecommunication',
		'electronics and telecommunication engineering',
		'electronics engineering',
		'electronics',
	],
	[
		'ee',
		'eee',
		'electrical',
		'electrical engineering',
		'electrical and electronics',
		'electrical and electronics engineering',
	],
	['me', 'mech', 'mechanical', 'mechanical engineering'],
	['ce', 'civil', 'civil engineering'],
	['che', 'chem engineering', 'chemical', 'chemical engineering'],
	['bt', 'biotech', 'biotechnology'],
	['ae', 'aero', 'aerospace', 'aerospace engineering'],
	[
		...['aiml', 'ai ml', 'ai and ml', 'artificial intelligence and machine learning'],
		...['cse aiml', 'cse ai ml', 'cse ai and ml', 'computer science ai ml', 'computer science ai and ml'],
	],
	['csbs', 'computer science and business systems'],
	['aids', 'ai ds', 'artificial intelligence and data science'],
	['ds', 'data science'],
	['math', 'maths', 'mathematics'],
	['stats', 'statistics'],
])

/** Names that belong together, by each of them without its spaces. */
const namesByBranch = new Map<string, string[]>()
for (const names of branchNames)
	for (const key of names.map(withoutSpaces)) namesByBranch.set(key, [...(namesByBranch.get(key) ?? []), ...names])

function withoutAnd(lines: string[][]): string[][] {
	return lines.map((names) => [...new Set(names.flatMap((name) => [name, name.replaceAll(' and ', ' ')]))])
}

function withoutSpaces(text: string): string {
	return text.replaceAll(' ', '')
}

/** All usual names of the branch that a text names, including the text itself. */
export function namesOfBranch(text: string): string[] {
	const small = text.toLowerCase().replace(/\beng(g|ng)\b/g, 'engineering')
	return [...new Set([small, ...(namesByBranch.get(withoutSpaces(small)) ?? [])])]
}

/** Cities by their names now and before, and in other languages. */
const cityNames = `
	bengaluru bangalore banglore blr, hyderabad hyd, coimbatore kovai, mumbai bombay, chennai madras, kolkata calcutta, pune poona,
	nashik nasik, kochi cochin, mysuru mysore, mangaluru mangalore, hubballi hubli, belagavi belgaum, vadodara baroda, varanasi banaras benares, prayagraj allahabad,
	gurugram gurgaon, thiruvananthapuram trivandrum, kozhikode calicut, thrissur trichur, tiruchirappalli trichy,
	puducherry pondicherry, visakhapatnam vizag, shivamogga shimoga, kalaburagi gulbarga, tumakuru tumkur, ballari bellary,
	guwahati gauhati, kyiv kiev, munich munchen muenchen, cologne koln koeln, zurich zuerich, vienna wien, prague praha, warsaw warszawa`
const namesByCity = new Map(
	cityNames.split(',').flatMap((line) => {
		const names = line.trim().split(' ')
		return names.map((name) => [name, names] as const)
	}),
)

/** The other names of the city that a word names. */
export function otherNamesOfCity(word: string): string[] {
	const plain = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
	return (namesByCity.get(plain) ?? []).filter((name) => name !== plain)
}
