/** A generated member, with the columns of their rows. */
export interface GeneratedMember {
	username: string
	name: string
	email: string
	created_at: string
	profile: {
		phone: string
		city: string
		expertise_in: string
		about: string
		open_to: string[]
		university_name: string
		location: string
		enrol_in_branch_name: string
		year_of_passing: number
		current_semester: number
		current_year: number
		github: string
		linkedin: string
		listed: boolean
		show_presence: boolean
		last_seen_at: string | null
	}
	skills: string[]
	projects: { project_title: string; project_description: string; project_tech_stack: string[]; project_date: string }[]
	certificates: { certificate_title: string; certificate_issue_date: string }[]
}

/** The mail domain of generated members; nobody can be reached there. */
export const seedDomain = 'seed.example'

const firstJoined = Date.UTC(2024, 0, 1)
const minutes = 60_000

/** The generated member with this number, from 1. Deterministic. Members join in the order of their numbers. */
export function generateMember(number: number): GeneratedMember {
	const random = seededRandom(number)
	const pick = (list: readonly string[], skew = 1) => list[Math.floor(random() ** skew * list.length)] ?? ''
	const chance = (share: number) => random() < share
	const first = pick(firstBeginnings, 1.5) + pick(firstEndings, 1.5)
	const last = pick(lastBeginnings, 1.5) + pick(lastEndings, 1.5)
	const year = 1 + Math.floor(random() ** 1.2 * 4)
	const place = pick(places, 1.7)
	const joined = firstJoined + number * minutes
	const own = new Set(Array.from({ length: 3 + Math.floor(random() * 6) }, () => pick(skills, 2.2)))
	const handle = `${first}-${last}`.toLowerCase()
	return {
		username: `${first}.${last}${number}`.toLowerCase(),
		name: `${first} ${last}`,
		email: `${first}.${last}${number}@${seedDomain}`.toLowerCase(),
		created_at: new Date(joined).toISOString(),
		profile: {
			phone: chance(0.3) ? `+00 555 ${String(Math.floor(random() * 1e6)).padStart(6, '0')}` : '',
			city: pick(cities),
			expertise_in: chance(0.7) ? pick(expertises) : '',
			about: chance(0.8) ? `${pick(abouts)} ${pick(abouts)}` : '',
			open_to: ['mentoring', 'teammates'].filter((_, index) => chance(index === 0 ? 0.2 : 0.5)),
			university_name: `${place} ${pick(institutions, 1.7)}`,
			location: place,
			enrol_in_branch_name: pick(branches, 1.8),
			year_of_passing: 2030 - year,
			current_semester: year * 2 - (chance(0.5) ? 1 : 0),
			current_year: year,
			github: chance(0.6) ? `https://github.example/${handle}` : '',
			linkedin: chance(0.4) ? `https://linkedin.example/${handle}` : '',
			listed: !chance(0.02),
			show_presence: !chance(0.05),
			last_seen_at: chance(0.9) ? new Date(joined + Math.floor(random() * 1e6) * minutes).toISOString() : null,
		},
		skills: [...own],
		projects: Array.from({ length: chance(0.4) ? 1 + Math.floor(random() * 3) : 0 }, () => ({
			project_title: pick(projectTitles),
			project_description: pick(abouts),
			project_tech_stack: [...own].slice(0, 3),
			project_date: '2025-09-01',
		})),
		certificates: chance(0.2)
			? [{ certificate_title: pick(certificateTitles), certificate_issue_date: '2025-06-01' }]
			: [],
	}
}

/** A seeded generator of numbers in [0, 1): mulberry32 by Tommy Ettinger, in the public domain. */
export function seededRandom(seed: number): () => number {
	let state = Math.imul(seed, 0x9e3779b1)
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
	}
}

/*
 * The data of generated members. Names are compounds of plain words, and the universities do not exist; skills and branches are the usual
 * ones, most frequent first.
 */

const split = (text: string): string[] => text.trim().split(/\s+/)

const firstBeginnings = split(`
	A Ba Be Bri Ca Cle Da De Do E El Fa Fi Ga Gi Ha He I Ja Jo Ka Ke Ki La Le Li Lo Ma Me Mi Na Ne Ni O Pa Pe Pri Qua Ra Re Ri
	Ro Sa Se Shi So Ta Te Ti To U Va Ve Vi Wa We Xa Ya Yo Za Ze`)
const firstEndings = split(`
	lan rin dra nika resh vik mila thea bram lin sha rian dith vani mesh tara nuel lys ravi sel dora keth mira jun van tosh bel
	nara rik lia`)
const lastBeginnings = split(`
	Amber Apple Ash Barley Bell Birch Black Bramble Bridge Brook Candle Cedar Cinder Clay Cloud Clover Cobble Copper Coral
	Crane Dew Drift Dune East Elder Ember Ever Fair Fern Fiddle Finch Flint Fog Fox Frost Garnet Glass Gold Grove Harbour Hazel
	Heather Heron High Hollow Honey Iron Ivy Juniper Kite Lake Lamp Lantern Lark Linden Long Maple Marsh May Meadow Mill Mist
	Moon Moss North Oak Oat Opal Orchard Otter Oyster Paper Pebble Pine Quarry Quill Rain Raven Reed River Robin Rook Rose Rush
	Rye Saffron Sage Salt Sand Sea Shell Silver Sky Slate Snow South Sparrow Spring Star Stone Storm Summer Sun Swan Sweet Thistle
	Thorn Tide Timber Vale Wander Water Wheat White Willow Wind Winter Wood Wren Yarrow Yew`)
const lastEndings = split(`
	bank barrow beck berry borough bourne bridge brook bury by combe cote croft dale dell den field ford fold garth gate glen
	grove hall ham hart haven heath hill holm holt house hurst keep land lea ley light low man march mead mere mill moor more
	mount ness over path pool quay ridge rise row shaw shore side smith spring stead stile stone stow thorpe thwaite ton tree vale
	view wald walk ward water way well wick win wold wood worth wright wyn yard`)

const places = split(`
	Aldermoor Brackwater Calderfen Dunmarrow Eastmere Farrowby Glenhollow Harrowgate Ivelstone Juniperfell Kestrelford Lanternhill
	Marrowfield Northmoor Oakenshore Pellwater Quarrendale Rookhaven Saltmarsh Thistledown Umberleigh Valemouth Westerling Yarrowby
	Ashcombe Birchmere Cloverton Driftwood Emberley Foxglove Greyharbour Hollowell Islebrook Jasperton Kingsmere Larkfield
	Mistvale Netherby Orchardleigh Pebbleton`)
const institutions = [
	'University',
	'Institute of Technology',
	'College of Engineering',
	'Polytechnic',
	'Technical University',
	'Institute of Science',
	'College',
	'School of Computing',
	'University of Applied Sciences',
	'Women’s College',
]

const branches = [
	'CSE',
	'IT',
	'ECE',
	'Mechanical',
	'Statistics',
	'Electrical',
	'Data Science',
	'Civil',
	'Mathematics',
	'Physics',
	'Biotechnology',
	'Chemical',
	'Design',
	'Aerospace',
]

export const skills = split(`
	Python JavaScript Java C++ SQL HTML CSS React TypeScript C Git Node.js Linux Machine_Learning MySQL MongoDB PostgreSQL Docker
	Express Data_Structures Bash PHP C# Django Flask Spring_Boot Next.js Tailwind_CSS Redux Bootstrap Pandas NumPy TensorFlow
	PyTorch scikit-learn OpenCV Kotlin Android Flutter Dart Swift iOS React_Native Firebase AWS Azure Google_Cloud Kubernetes
	Terraform Ansible Jenkins GitHub_Actions Nginx Redis GraphQL REST_APIs gRPC RabbitMQ Kafka Elasticsearch Go Rust Scala Haskell
	Elixir Erlang Clojure Ruby Ruby_on_Rails Laravel Vue.js Nuxt Angular Svelte Solid.js Astro Vite Webpack Jest Playwright Cypress
	Selenium Figma UI_Design UX_Research Blender Unity Unreal_Engine OpenGL WebGL Three.js D3 WebAssembly WebRTC Socket.IO Deno
	Bun Electron Qt Arduino Raspberry_Pi ESP32 Embedded_C KiCad PCB_Design VHDL Verilog FPGA ROS MATLAB Simulink AutoCAD SolidWorks
	Julia R Stata Tableau Power_BI Excel Hadoop Spark Airflow dbt Snowflake BigQuery SQLite Cassandra Neo4j Prolog Lisp Fortran
	COBOL Assembly Computer_Vision NLP Reinforcement_Learning Deep_Learning LLMs Prompt_Engineering Cryptography Ethical_Hacking
	Network_Security Penetration_Testing Wireshark Blockchain Solidity Ethereum Quantum_Computing Qiskit Bioinformatics
	Competitive_Programming System_Design Operating_Systems Compilers Distributed_Systems Technical_Writing Public_Speaking
	Project_Management Scrum`).map((name) => name.replaceAll('_', ' '))

const cities = places.map((place) => place.replace(/(by|ford|field|ton|hill)$/, ''))

const abouts = [
	'I like small tools that do one thing, and the people who write their manuals.',
	'Looking for a team for the winter hackathon; I bring tea and unit tests.',
	'Learning by building: a bus timetable, a seed library, a very slow compiler.',
	'I keep three small servers alive and write down what broke.',
	'Happy to read your code and to be wrong about it.',
	'Maps, public data and honest axes.',
	'I make interfaces that work with one hand on a crowded bus.',
	'Currently taking apart old radios; everything they taught me about patience was true.',
	'Ask me about anything but my first project.',
	'I tutor first years on Thursdays, in the library basement.',
]

const expertises = [
	'Web platform',
	'Data Visualization',
	'Backends',
	'Embedded Systems',
	'Mobile apps',
	'Machine Learning',
	'Robotics, CAD',
	'Design Systems',
	'Networks',
	'Teaching',
]

const projectTitles = [
	'Seed library',
	'Bus timetable',
	'Night bus map',
	'Laundry queue',
	'Greenhouse logger',
	'Recipe graph',
	'Chess clock',
	'Attendance by ear',
]
const certificateTitles = ['Cloud practitioner', 'Databases in depth', 'Secure programming', 'Signals and systems']
