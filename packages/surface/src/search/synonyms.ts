/**
 * What people and the authors of tools call the same thing: one family per line, written from how software is spoken of in general.
 * A word may be in several families.
 */
const verbs = `
  get fetch retrieve obtain read show view display access return pull
  list enumerate show all browse
  find search lookup locate query discover explore seek
  create add new make insert generate register build
  update edit modify change set patch alter adjust revise amend replace
  delete remove drop erase clear destroy discard purge trash unset
  cancel abort stop terminate revoke withdraw
  start begin launch run execute trigger initiate invoke
  stop end halt pause shutdown kill
  send post publish share submit deliver message notify dispatch
  reply respond answer comment
  calculate compute determine evaluate solve estimate calculator calculation
  convert transform change translate conversion
  check verify validate test inspect confirm
  book reserve schedule reservation booking
  buy purchase order shop shopping
  sell trade
  pay payment charge checkout
  download export save
  upload import attach
  compare comparison versus difference diff
  analyze analysis analyse examine assess evaluate study analytics insight
  recommend suggest recommendation suggestion advise advice
  summarize summary summarise digest overview brief
  translate translation translator language
  play listen stream
  watch stream view
  monitor track watch follow observe
  subscribe follow
  connect link join attach
  disconnect unlink detach leave
  move transfer relocate
  copy duplicate clone replicate
  rename retitle
  merge combine join concatenate
  split divide separate
  assign allocate delegate
  approve accept confirm
  reject decline deny refuse
  invite add
  enable activate on
  disable deactivate off
  lock block ban
  archive store
  restore recover undo revert
  open launch
  close resolve finish complete
  login signin authenticate
  count number total amount quantity
  sort order rank
  filter narrow
  predict forecast prediction projection
  learn study teach course lesson education tutorial
  write compose draft author
  draw sketch design paint
  plan organize organise arrange schedule itinerary
  detect identify recognize recognise
  extract parse scrape crawl
  deploy release ship
  measure gauge`;

const nouns = `
  picture image photo photograph pic screenshot
  video clip footage
  movie film cinema
  show series television tv
  song music track tune audio
  playlist album
  artist musician singer band
  car vehicle automobile auto
  ride taxi cab
  house home property estate apartment housing
  accommodation lodging stay hotel hostel
  flight airline plane airplane aircraft aviation
  airport airfield
  trip travel journey vacation holiday tour
  weather forecast temperature climate meteorology
  restaurant dining food meal eat cuisine
  recipe cook cooking dish ingredient
  drink beverage cocktail
  job employment career vacancy position work hiring
  stock share equity ticker
  crypto cryptocurrency bitcoin coin token
  currency money exchange forex
  price cost rate fee quote
  discount coupon deal offer promo
  product item goods merchandise
  store shop retailer
  customer client
  company business firm organization organisation corporation enterprise
  employee staff worker personnel
  team group
  user member person people account profile
  friend contact
  document doc file paper pdf
  folder directory
  page site website webpage web url link
  article story post blog
  news headline press
  book novel literature
  author writer
  quote quotation saying
  joke humor humour funny
  game gaming
  match game fixture
  player athlete
  football soccer
  score result standing
  league tournament championship competition
  repo repository
  pr pull-request merge-request
  issue ticket bug task
  task todo reminder
  branch ref
  commit revision changeset
  pipeline workflow build
  container docker
  server host machine instance
  database db table
  row record entry
  column field
  spreadsheet sheet excel
  slide presentation deck
  message chat text sms dm
  channel room
  email mail inbox gmail
  phone telephone mobile call
  event meeting appointment calendar
  time clock hour timezone
  date day calendar
  note memo
  tag label category
  location place address
  map direction route navigation
  distance length far
  near nearby close closest around
  city town
  country nation
  zip postal postcode zipcode
  coordinate latitude longitude geolocation
  doctor physician medical health healthcare
  medicine drug medication pharmacy
  disease illness symptom condition diagnosis
  exercise workout fitness gym
  diet nutrition calorie
  law legal lawyer attorney
  tax taxation
  loan mortgage credit
  bank banking
  invoice bill receipt
  insurance policy
  budget expense spending
  investment portfolio fund
  gift present
  pet animal dog cat
  plant flower garden
  question quiz trivia
  chart graph plot diagram visualization
  statistic stat metric analytics
  list collection
  detail information info data
  status state
  log history record
  setting configuration config preference option
  permission role access
  password credential secret
  key token
  review rating feedback
  popular trending top best
  latest recent newest new current
  random
  name title
  description summary
  word vocabulary dictionary definition
  meaning definition
  synonym thesaurus
  keyword seo
  picture avatar
  color colour
  holiday festival
  horoscope zodiac astrology
  earthquake seismic
  planet space astronomy nasa
  bus train transit transport
  package parcel shipment shipping delivery
  warehouse inventory stock
  domain dns
  ip address
  code program script snippet
  error exception failure crash
  alert notification alarm
  advertisement ad advert campaign
  lead prospect
  deal opportunity
  survey form questionnaire poll
  certificate ssl tls
  crop farm agriculture
  child kid children baby`;

const lines = (text: string) => text.trim().split("\n").map((line) => line.trim().split(/\s+/));

/** Families of words that stand for one another, as people write them. */
export const synonymFamilies: readonly (readonly string[])[] = [...lines(verbs), ...lines(nouns)];
