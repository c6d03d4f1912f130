/** Actions: verbs, and nouns of the same action. */
const actions = `
  get fetch retrieve obtain read show view display return
  list enumerate show browse
  find search lookup locate query discover
  create add new make insert generate register
  open create file raise
  update edit modify change set patch alter adjust revise amend
  replace substitute overwrite
  delete remove erase drop destroy discard purge trash
  clear empty reset
  cancel abort revoke withdraw
  start begin launch run execute trigger initiate
  rerun retry repeat
  stop end halt terminate kill shutdown
  pause suspend
  resume continue
  send deliver dispatch
  post publish share
  submit file
  notify alert inform
  reply respond answer
  comment remark
  calculate compute calculation computation
  estimate approximate
  convert conversion transform turn
  translate translation
  check verify validate validation
  test try
  inspect examine
  book reserve reservation booking
  schedule plan arrange
  buy purchase order
  sell sale
  pay payment
  charge bill
  download save export
  upload import
  attach attachment append
  compare comparison contrast
  analyze analysis examine assess evaluate study
  recommend suggest recommendation suggestion
  summarize summary digest
  explain describe description explanation
  play listen
  monitor watch track follow observe
  subscribe subscription follow
  connect link join
  disconnect unlink detach leave
  move transfer relocate
  copy duplicate clone fork replicate
  rename retitle
  merge combine join concatenate
  split divide
  assign allocate delegate give
  approve accept
  reject decline refuse
  allow permit grant
  deny forbid block
  invite invitation
  enable activate
  disable deactivate
  lock protect
  restore recover undo revert rollback
  close resolve finish complete
  count number total
  sort order rank
  filter narrow
  predict forecast prediction
  learn study
  teach train
  write compose draft
  draw sketch
  detect identify recognize
  extract parse scrape
  crawl scrape
  deploy release ship
  install setup
  measure gauge
  click press tap
  type enter fill
  scroll swipe
  navigate visit browse
  remind reminder
  remember memorize memory
  rate rating score
  fix repair correct
  improve optimize enhance
  debug troubleshoot diagnose
  exchange swap trade
  star favorite bookmark
  mute silence
  transcribe transcription transcript
  compress zip
  decompress unzip
  generate produce
  scale resize
  crop trim cut
  migrate migration`;

/** Objects of actions. */
const things = `
  image picture photo
  screenshot capture
  video clip footage
  movie film
  series show
  song track music
  singer artist musician
  car vehicle automobile
  taxi cab ride
  house home
  property estate
  hotel accommodation lodging
  flight airline airfare plane
  trip travel journey
  vacation holiday
  weather forecast climate meteorological
  restaurant dining
  food meal dish cuisine
  recipe cooking
  drink beverage
  job employment career vacancy
  salary wage pay
  price cost fee
  discount coupon deal promotion
  product item goods merchandise
  shop store retailer
  customer client
  company business firm corporation organization
  employee staff worker
  team group
  user member account
  person people human
  contact friend
  profile bio biography
  file document
  directory folder path
  page webpage
  website page
  link url
  article post blog
  news headline
  book novel
  writer author
  quote quotation saying
  game match fixture
  soccer football
  league tournament championship competition
  standing ranking table
  issue ticket bug task
  task todo
  problem issue error fault
  error exception failure crash fail
  dependency dependence
  vulnerability vulnerable advisory
  credential secret password token
  commit revision
  version release
  newest latest recent current new
  build pipeline workflow
  container docker
  server host machine instance
  cluster node
  table relation
  row record entry
  column field
  spreadsheet sheet excel workbook
  slide presentation
  message chat
  channel room
  conversation thread discussion
  email inbox
  meeting appointment event
  time clock hour
  date day
  reminder alarm
  note memo
  tag label category
  kind type category
  location place position
  address location
  map route direction
  distance length
  nearby near close
  city town
  country nation
  coordinate latitude longitude
  doctor physician
  medicine drug medication
  disease illness
  symptom sign
  health medical
  exercise workout fitness
  diet nutrition
  lawyer attorney
  law legal
  loan credit
  invoice bill receipt
  insurance policy
  budget expense spending
  stock share equity
  investment portfolio
  currency money
  bank account
  child kid
  question query
  chart graph plot diagram
  statistic metric analytics
  detail information
  status state
  history log record
  setting configuration option preference
  permission access role
  key token
  review feedback rating
  popular trending top best
  random arbitrary
  name title
  word term
  definition meaning
  synonym thesaurus
  holiday festival
  bus transit transport
  train rail railway
  package parcel shipment shipping
  stock inventory
  code source program
  snippet gist
  script program
  function method
  advertisement campaign
  prospect lead
  survey poll questionnaire
  certificate ssl tls
  branch ref
  text content
  language locale`;

/** Words for the same thing in software, offices and everyday services. A word may be in several families. */
export const synonymFamilies = `${actions}${things}`;
