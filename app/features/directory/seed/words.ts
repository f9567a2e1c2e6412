/*
 * What an invented community is made of. The names are compounds of plain words, the universities do not exist; skills and
 * branches are the usual ones, the commonest first.
 */

const split = (text: string): string[] => text.trim().split(/\s+/)

export const firstBeginnings = split(`
	A Ba Be Bri Ca Cle Da De Do E El Fa Fi Ga Gi Ha He I Ja Jo Ka Ke Ki La Le Li Lo Ma Me Mi Na Ne Ni O Pa Pe Pri Qua Ra Re Ri
	Ro Sa Se Shi So Ta Te Ti To U Va Ve Vi Wa We Xa Ya Yo Za Ze`)
export const firstEndings = split(`
	lan rin dra nika resh vik mila thea bram lin sha rian dith vani mesh tara nuel lys ravi sel dora keth mira jun van tosh bel
	nara rik lia`)
export const lastBeginnings = split(`
	Amber Apple Ash Barley Bell Birch Black Bramble Bridge Brook Candle Cedar Cinder Clay Cloud Clover Cobble Copper Coral
	Crane Dew Drift Dune East Elder Ember Ever Fair Fern Fiddle Finch Flint Fog Fox Frost Garnet Glass Gold Grove Harbour Hazel
	Heather Heron High Hollow Honey Iron Ivy Juniper Kite Lake Lamp Lantern Lark Linden Long Maple Marsh May Meadow Mill Mist
	Moon Moss North Oak Oat Opal Orchard Otter Oyster Paper Pebble Pine Quarry Quill Rain Raven Reed River Robin Rook Rose Rush
	Rye Saffron Sage Salt Sand Sea Shell Silver Sky Slate Snow South Sparrow Spring Star Stone Storm Summer Sun Swan Sweet Thistle
	Thorn Tide Timber Vale Wander Water Wheat White Willow Wind Winter Wood Wren Yarrow Yew`)
export const lastEndings = split(`
	bank barrow beck berry borough bourne bridge brook bury by combe cote croft dale dell den field ford fold garth gate glen
	grove hall ham hart haven heath hill holm holt house hurst keep land lea ley light low man march mead mere mill moor more
	mount ness over path pool quay ridge rise row shaw shore side smith spring stead stile stone stow thorpe thwaite ton tree vale
	view wald walk ward water way well wick win wold wood worth wright wyn yard`)

export const places = split(`
	Aldermoor Brackwater Calderfen Dunmarrow Eastmere Farrowby Glenhollow Harrowgate Ivelstone Juniperfell Kestrelford Lanternhill
	Marrowfield Northmoor Oakenshore Pellwater Quarrendale Rookhaven Saltmarsh Thistledown Umberleigh Valemouth Westerling Yarrowby
	Ashcombe Birchmere Cloverton Driftwood Emberley Foxglove Greyharbour Hollowell Islebrook Jasperton Kingsmere Larkfield
	Mistvale Netherby Orchardleigh Pebbleton`)
export const institutions = [
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

export const branches = [
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

export const cities = places.map((place) => place.replace(/(by|ford|field|ton|hill)$/, ''))

export const abouts = [
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

export const expertises = [
	'Web platform',
	'Data visualisation',
	'Backends',
	'Embedded systems',
	'Mobile apps',
	'Machine learning',
	'Robotics, CAD',
	'Design systems',
	'Networks',
	'Teaching',
]

export const projectTitles = [
	'Seed library',
	'Bus timetable',
	'Night bus map',
	'Laundry queue',
	'Greenhouse logger',
	'Recipe graph',
	'Chess clock',
	'Attendance by ear',
]
export const certificateTitles = [
	'Cloud practitioner',
	'Databases in depth',
	'Secure programming',
	'Signals and systems',
]
