internal import Octets

/// The state of the exchange with a terminal.
enum CardState: Sendable {
  /// No application is selected.
  case idle
  /// An application is selected.
  case selected(Exchange)
  /// GET PROCESSING OPTIONS was answered.
  case initiated(Exchange)
  /// The command that asks for a cryptogram or a code was answered.
  case answered(Exchange)

  /// The exchange with one application.
  struct Exchange: Sendable {
    // One octet, since every command reads it.
    private let position: UInt8
    /// Whether the deadline of the arming was met in this exchange. An exchange that began in time may finish.
    var isInTime = false
    /// Whether a value of GET PROCESSING OPTIONS (tag 9F7E) showed that the terminal supports mobile devices.
    var isMobileSupported = false

    /// The application's records, which READ RECORD finds here without the image.
    let records: ArenaSlice

    init(application: Int, records: ArenaSlice) {
      position = UInt8(application)
      self.records = records
    }

    /// The position of the application in the image.
    var application: Int { Int(position) }
  }

  init(_ stage: CardStage, _ exchange: Exchange) {
    switch stage {
    case .selected: self = .selected(exchange)
    case .initiated: self = .initiated(exchange)
    case .answered: self = .answered(exchange)
    }
  }

  /// The exchange with the selected application, or nil.
  var exchange: Exchange? {
    switch self {
    case .idle: nil
    case .selected(let exchange), .initiated(let exchange), .answered(let exchange): exchange
    }
  }

  /// The position of the selected application, or nil.
  var application: Int? { exchange?.application }

  /// The position of the selected application, plus one; 0 without one.
  var tableIndex: Int { (application ?? -1) &+ 1 }

  /// The exchange with a selected application whose records can be read, or nil.
  var readable: Exchange? {
    switch self {
    case .idle, .selected: nil
    case .initiated(let exchange), .answered(let exchange): exchange
    }
  }

  /// Whether an application is selected and the exchange with it is in a stage.
  @inline(__always)
  func isIn(_ stage: CardStage) -> Bool {
    // Numbers in the order of the cases: the compiler compares them without a jump table.
    let number: UInt8 =
      switch self {
      case .selected: CardStage.selected.rawValue
      case .initiated: CardStage.initiated.rawValue
      case .answered: CardStage.answered.rawValue
      case .idle: CardStage.answered.rawValue + 1
      }
    return stage.rawValue == number
  }

  /// Makes the next command check the deadline of a new arming.
  mutating func restartDeadline() {
    switch self {
    case .idle: break
    case .selected(var exchange):
      exchange.isInTime = false
      self = .selected(exchange)
    case .initiated(var exchange):
      exchange.isInTime = false
      self = .initiated(exchange)
    case .answered(var exchange):
      exchange.isInTime = false
      self = .answered(exchange)
    }
  }
}
