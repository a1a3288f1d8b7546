import CPNG
import CZXing
