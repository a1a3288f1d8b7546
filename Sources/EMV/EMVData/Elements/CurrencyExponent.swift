/// Returns the number of decimals of a currency (ISO 4217:2015, list one).
///
/// - Parameter numericCode: Tag 5F2A as a number: 978 for the euro.
/// - Returns: 2 for all but the currencies listed here.
public func currencyExponent(numericCode: Int) -> Int {
  switch numericCode {
  case 108, 152, 174, 262, 324, 352, 392, 410, 548, 600, 646, 704, 800, 940, 950, 952, 953: 0
  case 48, 368, 400, 414, 434, 512, 788: 3
  case 927, 990: 4
  default: 2
  }
}
